// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/compiled_kernels/compiled_steps.hpp"
#include "ctq/runtime/embeddings/quantize_rows.hpp"
#include "ctq/runtime/fold_batch_norm.hpp"
#include "ctq/runtime/pack_parameters.hpp"
#include "ctq/runtime/packing/int4_values.hpp"
#include "ctq/runtime/packing/op_parameters.hpp"
#include "ctq/runtime/packing/parameter_sources.hpp"
#include "ctq/runtime/quantize_weights.hpp"
#include "ctq/runtime/recurrent/quantize_recurrent.hpp"
#include "ctq/runtime/state_dict.hpp"
#include "ctq/runtime/weights.hpp"

// From the float weights of a model to the state_dict of a schedule: batch norms are folded, the
// weights of layers on integers are quantized.

namespace ctq {

namespace quantizing {

/// The first missing tensor of those that the step reads, or an empty string.
template <int = 0>
[[nodiscard, gnu::cold]] std::string missing_weight(const step& s, const node& n,
                                                    const parameter_sources& from) {
  const weights& w = *from.weights;
  const bool weighted = kernels::facts_of(s.signature.kernel).has_weights;
  if (weighted && from.find(n, "weight", 0) == nullptr) return std::string{n.name} + ".weight";
  const std::string_view batch_norm = s.signature.kernel == kernel::batch_norm2d ? n.name
                                      : weighted                                 ? n.batch_norm
                                                 : std::string_view{};
  if (batch_norm.empty()) return {};
  for (const char* part : {"weight", "bias", "running_mean", "running_var"})
    if (w.find(batch_norm, part) == nullptr) return std::string{batch_norm} + "." + part;
  return {};
}

/// Quantizes the weight of a transposed convolution, whose second axis is the output channels, with
/// a scale for each of them.
template <int = 0>
[[nodiscard, gnu::cold]] result<quantized_weights> quantized_transposed_weight(
    const node& n, const folded_weights& f, const std::vector<int>& shape,
    const parameter_sources& from) {
  ctq::shape weight;
  weight.rank = static_cast<int>(shape.size());
  for (std::size_t a = 0; a < shape.size(); ++a) weight.extent[a] = shape[a];
  folded_weights by_channel{.weight = std::vector<float>(f.weight.size()),
                            .bias = {},
                            .outputs = static_cast<std::size_t>(shape[1])};
  packing::for_each_by_channel(weight, 1, [&](std::size_t at, std::size_t moved) {
    by_channel.weight[moved] = f.weight[at];
  });
  result<quantized_weights> w = quantized_weight(n, by_channel, from);
  if (!w) return w;
  quantized_weights out{.weight = std::vector<std::int8_t>(f.weight.size()), .scale = {}};
  packing::for_each_by_channel(
      weight, 1, [&](std::size_t at, std::size_t moved) { out.weight[at] = w->weight[moved]; });
  while (out.scale.size() < f.outputs)
    out.scale.insert(out.scale.end(), w->scale.begin(), w->scale.end());
  return out;
}

template <int = 0>
[[nodiscard, gnu::cold]] status add_layer(const step& s, const node& n,
                                          const parameter_sources& from, state_dict& to) {
  const std::string name{n.name};
  const weight_tensor& weight = *from.find(n, "weight", 0);
  folded_weights f = fold(n, weight, from.find(n, "bias", 1), *from.weights);
  std::vector<int> shape = weight.shape;
  const auto outputs = static_cast<int>(f.outputs);
  if (s.signature.in == f32 && !kernels::facts_of(s.signature.kernel).integer_weights) {
    if (is_in_half(n)) round_to_half(f.weight);
    to.set(name + ".weight", std::move(shape), std::move(f.weight));
  } else {
    result<quantized_weights> w = n.op->descriptor->is_transposed
                                      ? quantized_transposed_weight(n, f, shape, from)
                                      : quantized_weight(n, f, from);
    if (!w) return unexpected{w.error()};
    if (s.signature.kernel == kernel::linear_dynamic_int4) {
      const int inputs = s.signature.as<linear_shape>().in_features;
      to.set(name + ".weight", {outputs, (inputs + 1) / 2},
             packing::int4_values(w->weight, static_cast<std::size_t>(inputs)));
      const int groups = outputs == 0 ? 0 : static_cast<int>(w->scale.size()) / outputs;
      to.set(name + ".weight_scale", {outputs, groups}, std::move(w->scale));
    } else {
      to.set(name + ".weight", std::move(shape), std::move(w->weight));
      to.set(name + ".weight_scale", {outputs}, std::move(w->scale));
    }
  }
  to.set(name + ".bias", {outputs}, std::move(f.bias));
  return done{};
}

/// y = x * scale + shift, from the four vectors of a batch norm that is folded into no layer.
template <int = 0>
[[gnu::cold]] void add_batch_norm(const node& n, const parameter_sources& from, state_dict& to) {
  const batch_norm_values b =
      batch_norm_of(*from.weights, n.name, n.attrs.as<batch_norm2d_options>().eps);
  const std::size_t channels = b.inverse_deviation.size();
  std::vector<float> scale(channels);
  std::vector<float> shift(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    scale[c] = b.channel(c).scale();
    shift[c] = b.channel(c).shift();
  }
  const std::string name{n.name};
  to.set(name + ".scale", {static_cast<int>(channels)}, std::move(scale));
  to.set(name + ".shift", {static_cast<int>(channels)}, std::move(shift));
}

/// The tensors that an op owns; its "weight" is quantized if the op computes on integers.
template <int = 0>
[[nodiscard, gnu::cold]] status add_op_parameters(const step& s, const node& n,
                                                  const parameter_sources& from, state_dict& to) {
  const op_descriptor& d = *n.op->descriptor;
  if (d.parameters == nullptr) return done{};
  const std::string name{n.name};
  const parameter_layout_of l = parameter_layout(d, n.attrs, s.signature.in != f32);
  for (int p = 0; p < l.parameters.count; ++p) {
    const op_parameter& parameter = l.parameters.item[p];
    const std::string full = name + "." + std::string{parameter.name};
    const weight_tensor* const given = from.find(n, parameter.name, p);
    if (given == nullptr || given->values.size() != numel(parameter.shape))
      return fail("tensor " + full,
                  given == nullptr ? "is missing" : "has another shape than the op says");
    std::vector<int> shape(parameter.shape.extent, parameter.shape.extent + parameter.shape.rank);
    if (p == l.weight && n.choice.pattern < 0)
      return fail("tensor " + full,
                  "of a custom module is not quantized by ctq: op_weights::in_float in its class");
    if (p != l.weight) {
      to.set(full, std::move(shape), given->values);
      continue;
    }
    const auto channels = static_cast<std::size_t>(parameter.shape[d.channel_axis]);
    folded_weights f{
        .weight = std::vector<float>(given->values.size()), .bias = {}, .outputs = channels};
    packing::for_each_by_channel(
        parameter.shape, d.channel_axis,
        [&](std::size_t at, std::size_t by_channel) { f.weight[by_channel] = given->values[at]; });
    result<quantized_weights> w = quantized_weight(n, f, from);
    if (!w) return unexpected{w.error()};
    std::vector<std::int8_t> integers(f.weight.size());
    packing::for_each_by_channel(
        parameter.shape, d.channel_axis,
        [&](std::size_t at, std::size_t by_channel) { integers[at] = w->weight[by_channel]; });
    to.set(full, std::move(shape), std::move(integers));
    to.set(name + ".weight_scale", {static_cast<int>(channels)}, std::move(w->scale));
  }
  return done{};
}

}  // namespace quantizing

/// The state_dict of a schedule.
/// Errors  weights that are missing; as quantize_weights, with the node's name
template <int = 0>
[[nodiscard, gnu::cold]] result<state_dict> quantize_parameters(span<const step> steps,
                                                                const parameter_sources& from) {
  state_dict to;
  for (const node& n : from.graph.nodes) {
    if (n.op == nullptr || n.op->kind != op_kind::get_attr) continue;
    const std::string name{path_of(n)};
    const weight_tensor* const given = from.weights->find(name);
    if (given == nullptr || given->values.size() != numel(n.shape))
      return fail("tensor " + name,
                  given == nullptr ? "is missing" : "has another shape than the model says");
    if (from.graph.is_constant(n)) to.set(name, given->shape, given->values);
  }
  for (const step& s : steps) {
    const node& n = from.graph.nodes[static_cast<std::size_t>(s.node)];
    if (const std::string missing = quantizing::missing_weight(s, n, from); !missing.empty())
      return fail("tensor " + missing, "is missing");
    status added = done{};
    if (kernels::facts_of(s.signature.kernel).has_weights) {
      added = quantizing::add_layer(s, n, from, to);
    } else if (s.signature.kernel == kernel::batch_norm2d) {
      quantizing::add_batch_norm(n, from, to);
    } else if (kernels::facts_of(s.signature.kernel).has_table) {
      added = quantizing::add_table(s, n, from, to);
    } else if (kernels::facts_of(s.signature.kernel).has_cells) {
      added = quantizing::add_recurrent(s, n, from, to);
    } else if (const auto& facts = kernels::facts_of(s.signature.kernel);
               (facts.calls_op || facts.has_tensors) && !is_called_after_layer(s, n)) {
      added = quantizing::add_op_parameters(s, n, from, to);
    }
    if (!added && added.error().place.starts_with("tensor ")) return unexpected{added.error()};
    if (!added) return fail(place_of(n) + ", " + added.error().place, added.error().cause);
  }
  return to;
}

/// The state_dict of a plan's int8 model.
/// Errors  weights that are missing; as quantize_weights, with the node's name
template <class Plan>
[[nodiscard, gnu::cold]] result<state_dict> quantize_parameters(
    const weights& w, semantics s = {}, span<const trained_qparams> trained = {}) {
  constexpr auto& schedule = Plan::int8_schedule;
  return quantize_parameters(span(schedule.steps).first(schedule.count), {.graph = Plan::lowered,
                                                                          .weights = &w,
                                                                          .backend = Plan::backend,
                                                                          .mapping = Plan::mapping,
                                                                          .semantics = s,
                                                                          .trained = trained});
}

/// The parameters of a schedule that computes only in float, for the kernels of a set.
/// Errors  weights that are missing; as compiled_kernels::choose_or_fastest
template <class Kernels>
[[nodiscard, gnu::cold]] result<parameters> float_parameters(span<const step> steps,
                                                             const graph_nodes& graph,
                                                             const weights& w) {
  const auto state =
      quantize_parameters(steps, {.graph = graph, .weights = &w, .backend = {}, .mapping = {}});
  if (!state) return unexpected{state.error()};
  if constexpr (std::is_same_v<typename Kernels::isa, isa::compiled>) {
    const auto kernels = compiled_kernels::choose_or_fastest();
    if (!kernels) return unexpected{kernels.error()};
    return compiled_kernels::make(**kernels, steps, graph, *state, {});
  } else {
    return pack_parameters<Kernels>(steps, graph, *state, {});
  }
}

}  // namespace ctq
