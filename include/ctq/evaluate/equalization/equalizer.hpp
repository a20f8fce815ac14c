// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/folded_modules.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/observers/equalization.hpp"
#include "ctq/passes/equalize.hpp"

// Input-weight equalization: from calibration data to float weights with a smaller quantization
// error.
//
//   equalizer columns(graph, modules);                  // for a model in a constant see
//   for (auto& batch : calibration) columns(batch);     // equalized_weights.hpp
//   auto layers = columns.calculate();
//   auto equal = equalize(graph, modules, *layers);     // computes the same, given scaled_input
//
// PyTorch equalizes within prepare and convert: it looks for the factors while it calibrates, and
// patches observers and weights afterwards. Here the float model is changed first; prepare and
// convert are unchanged. The factors are the same, and so are the weights (except for rounding if a
// batch norm is folded) and the range that a min_max observer of an input collects. Between two
// layers PyTorch keeps the range from before the outputs were multiplied, which no longer fits
// them, and a histogram keeps its bins. Here both are observed after the multiplication.

namespace ctq {

/// The factors of a layer: channel c of its input is multiplied by scale[c], its weights divided.
struct layer_equalization {
  equalized_layer at;
  std::vector<float> scale;
};

namespace equalizing {

/// Multiplies channel c along axis by factor[c].
inline float_ops::tensor multiplied(float_ops::tensor x, int axis, span<const float> factor) {
  const shape s = observers::with_axes_merged_around(x.shape, axis);
  observers::for_each_slice(s, 1, [&](std::size_t c, std::size_t offset, std::size_t count) {
    for (std::size_t i = offset; i < offset + count; ++i) x.data[i] *= factor[c];
  });
  return x;
}

/// Divides the columns of a weight, group by group.
inline float_ops::tensor divided(float_ops::tensor w, span<const float> scale) {
  const shape s = observers::with_axes_merged_around(w.shape, 1);
  const auto columns = static_cast<std::size_t>(s[1]);
  const auto inner = static_cast<std::size_t>(s[2]);
  const std::size_t group = w.data.size() / (scale.size() / columns);
  for (std::size_t i = 0; i < w.data.size(); ++i)
    w.data[i] *= 1.0F / scale[i / group * columns + i / inner % columns];
  return w;
}

inline const float_ops::tensor* tensor_at(const module_state& m, const std::string& path) {
  const float_ops::value* const v = m.find(path);
  return v == nullptr ? nullptr : v->get_if<float_ops::tensor>();
}

/// The path of "weight" or "bias"; empty for a function without it.
inline std::string path_of(graph_view<stage::fused> g, const scalable_layer& l,
                           std::string_view part) {
  const node& n = g[l.node];
  if (n.op->kind == op_kind::module) return std::string(ctq::path_of(n)) + "." + std::string(part);
  const int from = part == "weight" ? l.weight : l.bias;
  return from < 0 ? std::string{} : std::string(ctq::path_of(g[from]));
}

/// The weight that a layer computes with, with its batch norm folded.
inline result<float_ops::tensor> weight_of(graph_view<stage::fused> g, const scalable_layer& l,
                                           const module_state& modules) {
  const std::string path = path_of(g, l, "weight");
  const float_ops::tensor* const own = tensor_at(modules, path);
  if (own == nullptr) return fail("tensor " + path, "is missing");
  if (g[l.node].batch_norm.empty()) return *own;
  auto attributes = folded_attributes(g[l.node], modules);
  if (!attributes) return unexpected{attributes.error()};
  return *find(*attributes, "weight")->get_if<float_ops::tensor>();
}

/// Multiplies the outputs of a layer: its weight and bias, or gamma and beta of its batch norm.
inline status multiply_outputs(graph_view<stage::fused> g, const scalable_layer& l,
                               span<const float> factor, module_state& modules) {
  const node& n = g[l.node];
  const std::string norm(n.batch_norm);
  const bool has_norm = !norm.empty();
  for (const std::string_view part : {"weight", "bias"}) {
    const std::string path = has_norm ? norm + "." + std::string(part) : path_of(g, l, part);
    const float_ops::tensor* given = tensor_at(modules, path);
    float_ops::tensor absent;
    if (given == nullptr && has_norm && part == "weight") {  // affine=False
      absent = float_ops::filled({static_cast<int>(factor.size())}, 1.0F);
      given = &absent;
    }
    if (given == nullptr) continue;
    if (given->shape.empty() || static_cast<std::size_t>(given->shape[0]) != factor.size())
      return fail("tensor " + path, "does not fit the layer after it");
    modules.set_tensor(path, multiplied(*given, 0, factor));
  }
  return done{};
}

}  // namespace equalizing

/// Observes the inputs of the layers of a float model and calculates how to equalize them.
class equalizer {
 public:
  /// The graph and the modules must outlive it.
  ///   wanted  by node: whether to equalize it; empty: all that can be
  equalizer(graph_view<stage::fused> g, const module_state& modules, const equalize_options& o = {},
            const list<bool>& wanted = {})
      : g_(g),
        modules_(modules),
        semantics_(o.semantics),
        layers_(find_equalizable(g, o, wanted)),
        seen_(layers_.size()) {}

  /// Observes a batch. Errors are reported by calculate.
  ///   inputs  one per placeholder
  void operator()(std::vector<node_value> inputs) {
    const auto values =
        evaluator<stage::fused>(g_, modules_, {.semantics = semantics_}).run(std::move(inputs));
    if (!values) {
      if (!problem_) problem_ = values.error();
      return;
    }
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const scalable_layer& l = layers_[i].layer;
      const float_ops::value v = (*values)[static_cast<std::size_t>(l.input)].real();
      const int axis = channel_axis(g_[l.node].op);
      if (const auto* x = v.get_if<float_ops::tensor>();
          x != nullptr && float_ops::rank(x->shape) >= -axis)
        seen_[i].observe(x->data, observers::with_axes_merged_around(x->shape, axis));
    }
  }

  /// The factors of each layer.
  /// Errors  no data, NaN, a model that could not be evaluated, a weight that is missing or does
  ///         not fit: with the node
  [[nodiscard]] result<std::vector<layer_equalization>> calculate() const {
    if (problem_) return unexpected{*problem_};
    std::vector<layer_equalization> all;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const scalable_layer& l = layers_[i].layer;
      const std::string place = "node " + std::string(g_[l.node].name) + ", ";
      const auto input = seen_[i].columns();
      if (!input) return fail(place + input.error().place, input.error().cause);
      const auto w = equalizing::weight_of(g_, l, modules_);
      if (!w) return fail(place + w.error().place, w.error().cause);
      const auto weight = observers::weight_columns(w->data, w->shape, input->size());
      if (!weight) return fail(place + weight.error().place, weight.error().cause);
      all.push_back({layers_[i], observers::equalization_scale(*input, *weight)});
    }
    return all;
  }

 private:
  graph_view<stage::fused> g_;
  const module_state& modules_;
  semantics semantics_;
  list<equalized_layer> layers_;
  std::vector<observers::input_equalization> seen_;
  std::optional<error> problem_;
};

/// The modules with equalized weights. The model computes the same as before if the data of
/// placeholders are multiplied, too (scaled_input), and the graph has the multiplications that some
/// layers need (multiplying_graph).
/// Errors  a weight that is missing or does not fit
[[nodiscard]] inline result<module_state> equalize(graph_view<stage::fused> g, module_state modules,
                                                   span<const layer_equalization> layers) {
  for (const layer_equalization& l : layers) {
    const std::string path = equalizing::path_of(g, l.at.layer, "weight");
    const float_ops::tensor* const weight = equalizing::tensor_at(modules, path);
    if (weight == nullptr) return fail("tensor " + path, "is missing");
    modules.set_tensor(path, equalizing::divided(*weight, l.scale));
  }
  for (const layer_equalization& l : layers) {
    if (!l.at.producer.found()) continue;
    const status ok = equalizing::multiply_outputs(g, l.at.producer, l.scale, modules);
    if (!ok) return unexpected{ok.error()};
  }
  return modules;
}

/// The input that a placeholder of the equalized model needs instead of x.
[[nodiscard]] inline float_ops::tensor scaled_input(graph_view<stage::fused> g,
                                                    span<const layer_equalization> layers,
                                                    int placeholder, float_ops::tensor x) {
  for (const layer_equalization& l : layers)
    if (l.at.placeholder == placeholder)
      return equalizing::multiplied(std::move(x), channel_axis(g[l.at.layer.node].op), l.scale);
  return x;
}

/// The equalized model with a multiplication before each layer whose factors no other layer
/// applies, so that its inputs are unchanged: the graph that PyTorch converts to.
class multiplying_graph {
 public:
  /// The names and options of g must outlive it.
  multiplying_graph(graph_view<stage::fused> g, span<const layer_equalization> layers)
      : moved_(g.size()) {
    for (int i = 0; i < g.size(); ++i) {
      list<int> args;
      for (const int a : g.args_of(i)) args.push_back(moved_[a]);
      for (const layer_equalization& l : layers)
        if (l.at.layer.node == i && !l.at.producer.found())
          for (int a = 0; a < g[i].arg_count; ++a)
            if (g.args_of(i)[a] == l.at.layer.input) args[a] = add_product(g, l);
      moved_[i] = graph_.add(g[i], args);
    }
  }
  multiplying_graph(multiplying_graph&&) = default;
  multiplying_graph& operator=(multiplying_graph&&) = default;

  [[nodiscard]] graph_view<stage::fused> view() const { return graph_.view(); }

  /// By node: its entry of a mapping of the graph without multiplications, which stay in float.
  [[nodiscard]] list<int> qconfigs(const list<int>& entries) const {
    list<int> out(graph_.nodes.size(), -1);
    for (std::size_t i = 0; i < moved_.size(); ++i) out[moved_[i]] = entries[i];
    return out;
  }

  /// Sets the factors of the multiplications.
  void add_factors(module_state& modules) const {
    for (const factors& f : factors_) modules.set_tensor(f.name, f.values);
  }

 private:
  struct factors {
    std::string name;
    std::string product;
    float_ops::tensor values;
  };

  /// Adds a multiplication of the layer's input; returns its index.
  int add_product(graph_view<stage::fused> g, const layer_equalization& l) {
    const std::string of(g[l.at.layer.node].name);
    float_ops::extents extents(static_cast<std::size_t>(-channel_axis(g[l.at.layer.node].op)), 1);
    extents[0] = static_cast<int>(l.scale.size());
    factors_.push_back({of + "_equalization_scale", of + "_equalization", {extents, l.scale}});
    const int scale =
        graph_.add({.name = factors_.back().name, .op = nn::get_attr.id()}, list<int>{});
    node product{.name = factors_.back().product, .op = multiply};
    product.shape = g[l.at.layer.input].shape;
    const int read[] = {moved_[l.at.layer.input], scale};
    return graph_.add(product, read, 2);
  }

  dynamic_graph<stage::fused> graph_;
  list<int> moved_;              // from old indices to new ones
  std::deque<factors> factors_;  // a deque: nodes refer to the names while others are added
};

}  // namespace ctq
