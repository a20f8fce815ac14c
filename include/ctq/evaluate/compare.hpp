// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/passes/lower/integer_forms.hpp"

// Finds the layers where a quantized model is inaccurate: two stages of one model are evaluated on
// the same data and compared layer by layer. The float model against the reference model shows
// rounding errors, the reference model against the lowered one differences of kernels.

namespace ctq {

/// The difference between the outputs of a layer in two stages.
struct layer_difference {
  std::string name;
  double sqnr = std::numeric_limits<double>::infinity();  // dB; infinite: no difference
  double largest = 0.0;                                   // of the absolute differences
  double largest_in_steps = 0.0;  // in units of the layer's scale; 0 if it has none
};

namespace comparing {

struct sums {
  double signal{}, noise{}, largest{}, step{};
};

inline std::string name_of(const node& n) {
  std::string text;
  append_name(text, n);
  return text;
}

inline void add(sums& to, const float_ops::tensor& wanted, const float_ops::tensor& got) {
  for (std::size_t i = 0; i < wanted.data.size(); ++i) {
    const auto w = static_cast<double>(wanted.data[i]);
    const double error = static_cast<double>(got.data[i]) - w;
    to.signal += w * w;
    to.noise += error * error;
    to.largest = std::max(to.largest, std::abs(error));
  }
}

/// By node: the scale of its integers, or of a quantize after it; 0 if there is none.
template <stage Stage>
std::vector<double> scales_of(graph_view<Stage> g, const std::vector<node_value>& values) {
  std::vector<double> scales(static_cast<std::size_t>(g.size()), 0.0);
  for (int i = 0; i < g.size(); ++i) {
    const quantized_tensor* const q = values[static_cast<std::size_t>(i)].integers();
    if (q == nullptr) continue;
    const double scale = *std::max_element(q->qparams.scale.begin(), q->qparams.scale.end());
    scales[static_cast<std::size_t>(i)] = scale;
    if (is_any_of(g[i].op, q::quantize_per_tensor, q::quantize_per_channel,
                  q::quantize_per_tensor_dynamic, q::decomposed_quantize_per_tensor,
                  q::decomposed_quantize_per_channel))
      scales[static_cast<std::size_t>(g.args_of(i)[0])] = scale;
  }
  return scales;
}

/// By name of a layer of g: the node of `from` with the same value. For an op that lowering has
/// fused with the relu after it, that is the relu.
template <stage Reference, stage Quantized>
std::map<std::string, std::size_t> counterparts(graph_view<Reference> from,
                                                graph_view<Quantized> g) {
  std::set<std::string> there;
  for (int i = 0; i < g.size(); ++i) there.insert(name_of(g[i]));
  std::map<std::string, std::size_t> at;
  for (int i = 0; i < from.size(); ++i) {
    const bool fused = lowering::is_fusible_relu(from[i].op) && !there.contains(name_of(from[i]));
    at[name_of(from[fused ? from.args_of(i)[0] : i])] = static_cast<std::size_t>(i);
  }
  return at;
}

}  // namespace comparing

/// Compares the layers that have the same name in both graphs, in the order of the quantized one;
/// an op with a fused relu is compared with the relu. Inputs, attributes and nodes that passes have
/// inserted are omitted.
///   data  for each example one value per input
/// Errors  those of evaluation
template <stage Reference, class Kernels, stage Quantized, class OtherKernels>
[[nodiscard]] result<std::vector<layer_difference>> compare(
    evaluator<Reference, Kernels>& reference, evaluator<Quantized, OtherKernels>& quantized,
    span<const std::vector<node_value>> data) {
  const graph_view<Reference> from = reference.graph();
  const graph_view<Quantized> g = quantized.graph();
  const std::map<std::string, std::size_t> wanted_at = comparing::counterparts(from, g);
  std::vector<comparing::sums> sums(static_cast<std::size_t>(g.size()));
  std::vector<bool> compared(sums.size(), false);
  for (const std::vector<node_value>& inputs : data) {
    const auto wanted = reference.run(inputs);
    if (!wanted) return unexpected{wanted.error()};
    const auto got = quantized.run(inputs);
    if (!got) return unexpected{got.error()};
    const std::vector<double> scales = comparing::scales_of(g, *got);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const node& n = g[static_cast<int>(i)];
      const auto same = wanted_at.find(comparing::name_of(n));
      if (n.op->kind == op_kind::placeholder || n.op->kind == op_kind::get_attr ||
          same == wanted_at.end())
        continue;
      const float_ops::value w = (*wanted)[same->second].real();
      const float_ops::value v = (*got)[i].real();
      const auto* a = w.get_if<float_ops::tensor>();
      const auto* b = v.get_if<float_ops::tensor>();
      if (a == nullptr || b == nullptr || a->shape != b->shape) continue;
      comparing::add(sums[i], *a, *b);
      sums[i].step = std::max(sums[i].step, scales[i]);
      compared[i] = !is_any_of(n.op, q::dequantize, q::decomposed_dequantize_per_tensor,
                               q::decomposed_dequantize_per_channel, q::activation_post_process);
    }
  }
  std::vector<layer_difference> layers;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!compared[i]) continue;
    layer_difference& d = layers.emplace_back();
    d.name = comparing::name_of(g[static_cast<int>(i)]);
    d.largest = sums[i].largest;
    if (sums[i].noise > 0.0) d.sqnr = 10.0 * std::log10(sums[i].signal / sums[i].noise);
    if (sums[i].step > 0.0) d.largest_in_steps = sums[i].largest / sums[i].step;
  }
  return layers;
}

}  // namespace ctq
