// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_case.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"

namespace random_cases {
namespace {

using int8_everywhere = global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>;
using int8_per_tensor =
    qconfig<min_max_observer<>,
            min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>;

/// A weight shrinks with what it sums over, so that values keep their size.
weight_tensor random_parameter(const parameter& p, random_numbers& random) {
  std::size_t count = 1;
  for (const int extent : p.shape) count *= static_cast<std::size_t>(extent);
  float low = -0.5F;
  float high = 0.5F;
  if (p.shape.size() > 1) {
    const auto sums = static_cast<float>(count / static_cast<std::size_t>(p.shape[0]));
    high = 1.5F / std::sqrt(sums);
    low = -high;
  } else if (p.name.ends_with("running_var")) {
    low = 0.5F;
    high = 2.0F;
  }
  return {p.name, p.shape, random.some(count, low, high)};
}

/// Of a module that is called twice the second node has the same ones under its own name, since
/// compiled models look there.
weights random_weights(graph_view<stage::traced> g, random_numbers& random) {
  std::vector<weight_tensor> all;
  for (int i = 0; i < g.size(); ++i) {
    for (const parameter& p : parameters_of(g[i])) {
      weight_tensor t = random_parameter(p, random);
      const std::string shared = std::string(path_of(g[i])) + p.name.substr(g[i].name.size());
      for (const weight_tensor& earlier : all)
        if (earlier.name == shared) t.values = earlier.values;
      all.push_back(std::move(t));
    }
  }
  return weights{std::move(all)};
}

/// Options are in the node of a model written in C++, but those of a module called twice in it.
module_state modules_of(graph_view<stage::traced> g, const weights& w) {
  module_state m;
  for (const weight_tensor& t : w.tensors())
    m.set_tensor(t.name, float_ops::tensor{t.shape, t.values});
  for (int i = 0; i < g.size(); ++i) {
    if (g[i].row == nullptr) continue;
    std::vector<float_ops::named_value> options;
    calling::append_options(g[i], options);
    for (const float_ops::named_value& o : options) m.set_option(path_of(g[i]), o.name, o.given);
  }
  return m;
}

shape shape_of(const float_ops::extents& extents) {
  shape s;
  for (const int extent : extents) s[s.rank++] = extent;
  return s;
}

template <stage Stage>
std::vector<node_value> evaluate(graph_view<Stage> g, const module_state& modules,
                                 const float_ops::tensor& x, evaluation_options options) {
  auto values = evaluator<Stage>(g, modules, std::move(options)).run({x});
  if (!values) FAIL(values.error().message());
  return *std::move(values);
}

}  // namespace

user_implementation implementation_of_user_ops(const model_qparams* qparams) {
  return
      [qparams](const node& n, const std::vector<node_value>& reads,
                const std::vector<float_ops::named_value>&) -> std::optional<result<node_value>> {
        if (n.op->builtin || n.op->descriptor->functions.apply == nullptr) return {};
        std::vector<float_ops::tensor> in;
        for (const node_value& v : reads) in.push_back(*v.real().get_if<float_ops::tensor>());
        float_ops::tensor out{in[0].shape, std::vector<float>(in[0].data.size())};
        const auto extents = [&n](const float_ops::tensor& t) {
          return n.op->descriptor->functions.elementwise ? shape(static_cast<int>(t.data.size()))
                                                         : shape_of(t.shape);
        };
        op_arguments<float> arguments;
        for (std::size_t i = 0; i < in.size(); ++i)
          arguments.in[i] = {in[i].data.data(), extents(in[i])};
        arguments.out = {out.data.data(), extents(out)};
        n.op->descriptor->functions.apply(arguments, n.attrs);
        if (!is_quantized(n.dtype)) return node_value(std::move(out));
        return node_value(quantize(out, qparams->activations.at(n.observer)));
      };
}

random_case::random_case(unsigned seed) : model(seed, true), random(seed) {
  const auto g = model.graph().view();
  float_weights = random_weights(g, random);
  modules = modules_of(g, float_weights);
}

float_ops::tensor random_case::input() {
  const shape& s = model.graph().view()[0].shape;
  float_ops::tensor x{{}, random.some(static_cast<std::size_t>(numel(s)), -2.0F, 2.0F)};
  for (int i = 0; i < s.rank; ++i) x.shape.push_back(s[i]);
  return x;
}

lowered_case::lowered_case(random_case& c)
    : backend(backend_v<x86>),
      entries{int8_everywhere::value, object_type<nn::conv_transpose1d, int8_per_tensor>::value,
              object_type<nn::conv_transpose2d, int8_per_tensor>::value} {
  fused = fuse(c.model.graph().view(), backend);
  prepared = prepare_graph(fused.view(), backend, mapping(), unsupported::skip);
  reference = convert_graph(prepared.view(), backend, mapping());
  lowered = lower(reference.view());
  observer_set observers;
  evaluator<stage::prepared> run(
      prepared.view(), c.modules,
      {.observers = &observers, .implementation = implementation_of_user_ops(nullptr)});
  for (int i = 0; i < 3; ++i) static_cast<void>(run.run({c.input()}));
  for (int o = 0; o < prepared.observers; ++o)
    if (const auto found = observers.qparams(o)) qparams.activations[o] = *found;
}

std::vector<node_value> run(graph_view<stage::traced> g, const module_state& modules,
                            const float_ops::tensor& x) {
  return evaluate(g, modules, x, {.implementation = implementation_of_user_ops(nullptr)});
}

std::vector<node_value> run(graph_view<stage::fused> g, const module_state& modules,
                            const float_ops::tensor& x) {
  return evaluate(g, modules, x, {.implementation = implementation_of_user_ops(nullptr)});
}

std::vector<node_value> run(graph_view<stage::lowered> g, const module_state& modules,
                            const float_ops::tensor& x, const model_qparams& qparams) {
  return evaluate(g, modules, x,
                  {.qparams = &qparams, .implementation = implementation_of_user_ops(&qparams)});
}

std::vector<float> output_of(const std::vector<node_value>& values) {
  return values.back().real().get_if<float_ops::tensor>()->data;
}

}  // namespace random_cases
