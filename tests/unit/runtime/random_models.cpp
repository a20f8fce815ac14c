// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "random_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "ctq/runtime/evaluator.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/weights.hpp"

// What holds for numbers whatever the model: fusion keeps the float output, and the scalar
// interpreter gives the integers that the evaluator gives op by op.

using namespace ctq;

namespace {

/// Uniform in [low, high), from the generator that made the graph.
class random_numbers {
 public:
  explicit random_numbers(unsigned seed) : random_(seed ^ 0x9E3779B9U) {}

  float between(float low, float high) {
    return low + (high - low) * (static_cast<float>(random_() >> 8) * 0x1p-24F);
  }
  std::vector<float> some(std::size_t count, float low, float high) {
    std::vector<float> all(count);
    for (float& x : all) x = between(low, high);
    return all;
  }

 private:
  std::mt19937 random_;
};

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

weights random_weights(graph_view<stage::traced> g, random_numbers& random) {
  std::vector<weight_tensor> all;
  for (int i = 0; i < g.size(); ++i)
    for (const parameter& p : parameters_of(g[i])) all.push_back(random_parameter(p, random));
  return weights{std::move(all)};
}

module_state modules_of(const weights& w) {
  module_state m;
  for (const weight_tensor& t : w.tensors()) m.set_tensor(t.name, eager::tensor{t.shape, t.values});
  return m;
}

shape shape_of(const eager::extents& extents) {
  shape s;
  for (const int extent : extents) s[s.rank++] = extent;
  return s;
}

/// What an op of the user's own means, by its hooks; rounded where the node is on integers.
own_meaning meaning_of_own_ops(const quantizations* steps) {
  return [steps](const node& n, const std::vector<node_value>& reads,
                 const std::vector<eager::named_value>&) -> std::optional<result<node_value>> {
    if (n.op->hooks == nullptr) return {};
    std::vector<eager::tensor> in;
    for (const node_value& v : reads) in.push_back(*v.real().get_if<eager::tensor>());
    eager::tensor out{in[0].shape, std::vector<float>(in[0].data.size())};
    const auto extents = [&n](const eager::tensor& t) {
      return n.op->hooks->elementwise ? shape(static_cast<int>(t.data.size())) : shape_of(t.shape);
    };
    op_arguments<float> arguments;
    for (std::size_t i = 0; i < in.size(); ++i)
      arguments.in[i] = {in[i].data.data(), extents(in[i])};
    arguments.out = {out.data.data(), extents(out)};
    n.op->hooks->apply(arguments, n.attrs);
    if (!is_quantized(n.dtype)) return node_value(std::move(out));
    return node_value(quantize(out, steps->activations.at(n.observer)));
  };
}

template <stage Stage>
eager::tensor run(graph_view<Stage> g, const module_state& modules, const eager::tensor& x,
                  observer_set* observers = nullptr, const quantizations* steps = nullptr) {
  const evaluator<Stage> e(
      g, modules, {.observers = observers, .steps = steps, .own = meaning_of_own_ops(steps)});
  const auto values = e.run({x});
  if (!values) FAIL(values.error().message());
  const eager::value out = values->back().real();
  return *out.get_if<eager::tensor>();
}

double largest_of(const std::vector<float>& values) {
  double largest = 0.0;
  for (const float x : values) largest = std::max(largest, std::abs(static_cast<double>(x)));
  return largest;
}

double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

struct random_case {
  explicit random_case(unsigned seed) : model(seed), random(seed) {
    const auto g = model.graph().view();
    float_weights = random_weights(g, random);
    modules = modules_of(float_weights);
  }

  eager::tensor input() {
    const shape& s = model.graph().view()[0].shape;
    eager::tensor x{{}, random.some(static_cast<std::size_t>(numel(s)), -2.0F, 2.0F)};
    for (int i = 0; i < s.rank; ++i) x.shape.push_back(s[i]);
    return x;
  }

  random_model model;
  random_numbers random;
  weights float_weights;
  module_state modules;
};

// --- Integers ----------------------------------------------------------------------------------

using int8_everywhere = global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>;

/// Is the node computed in float by sums, whose order is not the same in both?
bool sums_floats(const node& n) {
  return n.dtype == f32 &&
         is_any_of(n.op, nn::conv2d, nni::conv_relu2d, nn::linear, nni::linear_relu,
                   nn::batch_norm2d, nni::bn_relu2d, nn::avg_pool2d, fn::avg_pool2d,
                   nn::adaptive_avg_pool2d, fn::adaptive_avg_pool2d);
}

/// Kernels add up integers for an average and round once; op by op it is the mean of floats, which
/// is rounded to the other side where it lies just between two steps.
bool averages(const node& n) {
  return is_any_of(n.op, nn::avg_pool2d, fn::avg_pool2d, nn::adaptive_avg_pool2d,
                   fn::adaptive_avg_pool2d);
}

/// The same model on integers, computed twice.
struct both {
  std::vector<float> op_by_op, interpreted;
  bool has_float_sums = false;
  bool has_averages = false;
  bool refused = false;
  int integer_ops = 0;
  std::string graph;
};

both run_integers(random_case& c) {
  const auto traced = c.model.graph().view();
  const backend_view backend = backend_v<x86>;
  const mapping_entry everything = int8_everywhere::value;
  const mapping_view mapping{&everything, 1};
  const auto fused = fuse(traced, backend);
  const auto prepared = prepare_graph(fused.view(), backend, mapping, unsupported::skip);
  const auto reference = convert_graph(prepared.view(), backend, mapping);
  const auto lowered = lower(reference.view());

  observer_set observers;
  for (int i = 0; i < 3; ++i) run(prepared.view(), c.modules, c.input(), &observers);
  quantizations steps;
  std::vector<qparams> numbers(static_cast<std::size_t>(prepared.observers));
  for (int o = 0; o < prepared.observers; ++o) {
    const auto found = observers.steps(o);
    if (!found) continue;
    steps.activations[o] = *found;
    const quant_range r = range_of(found->dtype);
    numbers[static_cast<std::size_t>(o)] = {static_cast<float>(found->scale[0]),
                                            found->zero_point[0], static_cast<std::int32_t>(r.min),
                                            static_cast<std::int32_t>(r.max)};
  }

  const eager::tensor x = c.input();
  both out;
  out.op_by_op = run(lowered.view(), c.modules, x, nullptr, &steps).data;
  auto interpreter = ctq::interpreter<reference_kernels>::make(lowered.view(), c.float_weights,
                                                               numbers, backend, mapping);
  if (!interpreter) {
    // Where all that was seen is zero, the scale is so small that the bias leaves int32.
    out.refused = interpreter.error().place.find("accumulator_overflow") != std::string::npos;
    if (!out.refused) FAIL(interpreter.error().message());
    return out;
  }
  out.interpreted.resize(out.op_by_op.size());
  interpreter->run(x.data.data(), out.interpreted.data());
  for (int i = 0; i < lowered.view().size(); ++i) {
    const node& n = lowered.view()[i];
    out.has_float_sums = out.has_float_sums || sums_floats(n);
    out.has_averages = out.has_averages || averages(n);
    out.integer_ops += is_quantized(n.dtype) ? 1 : 0;
    out.graph += std::string(n.name) + " " + std::string(n.op->name) + "\n";
  }
  return out;
}

constexpr unsigned models = 200;

}  // namespace

TEST_CASE("fusing two hundred random models keeps their float output") {
  const unsigned first = first_seed();
  MESSAGE("seeds from ", first);
  int fused_ops = 0;
  for (unsigned seed = first; seed != first + models; ++seed) {
    CAPTURE(seed);
    random_case c(seed);
    const auto traced = c.model.graph().view();
    const auto fused = fuse(traced, backend_v<x86>);
    fused_ops += traced.size() - fused.view().size();
    const eager::tensor x = c.input();
    const std::vector<float> before = run(traced, c.modules, x).data;
    const std::vector<float> after = run(fused.view(), c.modules, x).data;
    REQUIRE(after.size() == before.size());
    REQUIRE(difference(before, after) <= 1e-4 * largest_of(before));
  }
  CHECK(fused_ops > 100);
}

TEST_CASE("two hundred random models give the same integers op by op and interpreted") {
  const unsigned first = first_seed();
  MESSAGE("seeds from ", first);
  int compared = 0;
  int refused = 0;
  int averaging = 0;
  int averaging_equal = 0;
  for (unsigned seed = first; seed != first + models; ++seed) {
    CAPTURE(seed);
    random_case c(seed);
    const both b = run_integers(c);
    const bool equal = b.op_by_op == b.interpreted;
    refused += b.refused ? 1 : 0;
    if (b.refused || b.has_float_sums || b.integer_ops == 0) continue;
    if (b.has_averages) {
      ++averaging;
      averaging_equal += equal ? 1 : 0;
      continue;
    }
    ++compared;
    CAPTURE(b.graph);
    CHECK(equal);
  }
  CHECK(compared > 30);
  CHECK(refused < 10);
  CHECK(averaging_equal > averaging / 2);
  MESSAGE(compared, " models without averages are equal, ", averaging_equal, " of ", averaging,
          " with");
}
