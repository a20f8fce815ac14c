// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/containers/span.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/kernels/int4_weights.hpp"
#include "ctq/kernels/reference/called_op.hpp"
#include "ctq/passes/schedule/memory.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/embeddings/pack_rows.hpp"
#include "ctq/runtime/output_arithmetic.hpp"
#include "ctq/runtime/packing/op_parameters.hpp"
#include "ctq/runtime/packing/pack_constants.hpp"
#include "ctq/runtime/packing/used_kernels.hpp"
#include "ctq/runtime/packing/weight_order.hpp"
#include "ctq/runtime/parameters.hpp"
#include "ctq/runtime/recurrent/pack_static_lstm.hpp"
#include "ctq/runtime/recurrent/recurrent_parameters.hpp"
#include "ctq/runtime/state_dict.hpp"

// From a state_dict and the qparams of activations to what the kernels of an instruction set read.

namespace ctq {

namespace packing {

/// The qparams to which a layer requantizes its accumulators; a scale of 1 if they become floats.
[[nodiscard]] inline qparams layer_output(const kernel_signature& signature, const step_data& d) {
  if (signature.out == f32) return {};
  return signature.then == fused_op::nothing ? d.out : d.fused;
}

/// Packs the weights of a linear layer that are quantized per group, to 4 bits.
///   name  of the node
///   bias  [O]
/// Errors  as state_dict::floats
template <int = 0>
[[nodiscard, gnu::cold]] status pack_int4_layer(const kernel_packing& kernels,
                                                const kernel_signature& signature,
                                                const std::string& name, const state_dict& state,
                                                const float* bias, std::byte* packed) {
  const auto s = signature.as<linear_shape>();
  const auto weight = state.bytes(name + ".weight", {{s.out_features, (s.in_features + 1) / 2}});
  if (!weight) return unexpected{weight.error()};
  const int groups = ctq::kernels::int4_weights{.group_size = s.group_size}.groups(s.in_features);
  const auto scale = state.scales(name + ".weight_scale", {{s.out_features, groups}});
  if (!scale) return unexpected{scale.error()};
  kernels.pack(signature, {weight->data(), bias, scale->data()}, packed);
  return done{};
}

/// Packs the weights of a layer.
/// Errors  as state_dict::floats; with the node: as check_sums, output_arithmetic_of
template <int = 0>
[[nodiscard, gnu::cold]] status pack_layer(const kernel_packing& kernels, const step& s,
                                           const node& n, const state_dict& state,
                                           const step_data& data, std::byte* packed) {
  const std::string name{n.name};
  const weight_of_layer layer = weight_of(s.signature, n);
  const auto bias = state.floats(name + ".bias", {{layer.outputs}});
  if (!bias) return unexpected{bias.error()};
  if (s.signature.kernel == kernel::linear_dynamic_int4)
    return pack_int4_layer(kernels, s.signature, name, state, bias->data(), packed);
  const bool integer_weights = ctq::kernels::facts_of(s.signature.kernel).integer_weights;
  if (s.signature.in == f32 && !integer_weights) {
    const auto weight = state.floats(name + ".weight", layer.shape);
    if (!weight) return unexpected{weight.error()};
    with_kernel_order<float>(*weight, layer, [&](const float* ordered) {
      kernels.pack(s.signature, {ordered, bias->data(), nullptr}, packed);
    });
    return done{};
  }
  const auto weight = state.integers(name + ".weight", layer.shape);
  if (!weight) return unexpected{weight.error()};
  const auto scale = state.scales(name + ".weight_scale", {{layer.outputs}});
  if (!scale) return unexpected{scale.error()};
  status packing = done{};
  const auto at_node = [&n](const error& e) { return fail(place_of(n) + ", " + e.place, e.cause); };
  if (integer_weights) {
    const bool sums = s.signature.kernel == kernel::linear_dynamic;  // of integers
    if (const status ok = check_sums({*weight, *scale}); sums && !ok) return at_node(ok.error());
    kernels.pack(s.signature, {weight->data(), bias->data(), scale->data()}, packed);
    return done{};
  }
  with_kernel_order<std::int8_t>(*weight, layer, [&](const std::int8_t* ordered) {
    // The channels' sums do not depend on the order of their weights.
    const auto arithmetic =
        output_arithmetic_of(*bias, {{ordered, weight->size()}, *scale}, data.in[0], s.signature.in,
                             layer_output(s.signature, data), s.signature.out);
    if (!arithmetic) {
      packing = at_node(arithmetic.error());
      return;
    }
    kernels.pack(s.signature,
                 {arithmetic->weights(ordered), arithmetic->bias.data(),
                  arithmetic->multiplier.data(), data.in[0].zero_point},
                 packed);
    if (s.signature.out != f32) return;
    const std::size_t bytes = arithmetic->multiplier.size() * sizeof(float);
    std::memcpy(packed + kernels.packed_bytes(s.signature) - padded(bytes),
                arithmetic->multiplier.data(), bytes);
  });
  return packing;
}

/// Packs scale and shift of a batch norm.
/// Errors  as state_dict::floats
template <int = 0>
[[nodiscard, gnu::cold]] status pack_batch_norm(const step& s, const node& n,
                                                const state_dict& state, std::byte* packed) {
  const int channels[] = {s.signature.as<channels_shape>().channels};
  for (const char* part : {".scale", ".shift"}) {
    const auto values = state.floats(std::string{n.name} + part, channels);
    if (!values) return unexpected{values.error()};
    std::memcpy(packed, values->data(), values->size_bytes());
    packed += values->size_bytes();
  }
  return done{};
}

/// The op whose functions a table holds: the node's own or, if an operand is a number, the
/// corresponding op of one tensor.
[[nodiscard]] constexpr op_id op_of_table(const node& n) {
  const op_id with_number = n.op->descriptor->schedule.with_number;
  return with_number != nullptr ? with_number : n.op;
}

/// Packs the lookup table of an op of one tensor: its output for each of the 256 integers of a
/// type.
template <int = 0>
[[gnu::cold]] void pack_table(op_id op, const step_data& d, dtype type, const qparams& from,
                              std::byte* packed) {
  const auto make = [&](auto* table) {
    kernels::reference::make_table(op->descriptor->functions, d.options, from, d.out, table);
  };
  if (type == quint8) {
    make(reinterpret_cast<std::uint8_t*>(packed));
  } else {
    make(reinterpret_cast<std::int8_t*>(packed));
  }
}

/// Narrows the range of a step's output to what a clamp lets through.
template <int = 0>
[[gnu::cold]] void clamp_output(const node& clamp, const kernel_signature& signature,
                                step_data& d) {
  const auto within = [&]<class element>(element) {
    const qparams q = d.out;
    const element ends[] = {static_cast<element>(q.quant_min), static_cast<element>(q.quant_max)};
    element clamped[2];
    ctq::kernels::reference::elementwise<element>(
        clamp.op->descriptor->functions, clamp.attrs,
        {.in = {{ends, {2}, q}}, .out = {clamped, {2}, q}});
    const auto narrow = [&](std::int32_t& bound) {
      bound = std::clamp<std::int32_t>(bound, clamped[0], clamped[1]);
    };
    if (ctq::kernels::facts_of(signature.kernel).has_weights &&
        signature.then == fused_op::nothing) {
      narrow(d.out_range.lo);
      narrow(d.out_range.hi);
    } else {
      narrow(d.out.quant_min);
      narrow(d.out.quant_max);
    }
  };
  if (signature.out == quint8) return within(std::uint8_t{});
  within(std::int8_t{});
}

/// Packs what a step's kernel reads besides its inputs.
///   qparams  by number of the observer
///   data     has the qparams of the step; receives the options of the op that is called
/// Errors  as pack_steps
template <used_kernels Used>
[[nodiscard, gnu::cold]] status pack_step(const kernel_packing& kernels, const step& s,
                                          span<const node> nodes, const state_dict& state,
                                          [[maybe_unused]] span<const qparams> qparams,
                                          step_data& data, std::byte* packed, std::size_t bytes) {
  using facts = ctq::kernels::kernel_facts;
  const node& n = nodes[static_cast<std::size_t>(s.node)];
  [[maybe_unused]] const facts& kernel_is = ctq::kernels::facts_of(s.signature.kernel);
  if constexpr (Used.any(&facts::has_weights)) {
    if (kernel_is.has_weights) {
      if constexpr (Used.tables) {
        if (s.signature.then == fused_op::table) {
          const node& op = nodes[static_cast<std::size_t>(s.fused_node)];
          data.options = op.attrs;
          pack_table(op_of_table(op), data, s.signature.out, data.fused, packed + bytes - 256);
        }
      }
      return pack_layer(kernels, s, n, state, data, packed);
    }
  }
  if constexpr (Used.has(kernel::batch_norm2d))
    if (s.signature.kernel == kernel::batch_norm2d) return pack_batch_norm(s, n, state, packed);
  if constexpr (Used.any(&facts::has_table))
    if (kernel_is.has_table) return pack_rows(s, n, state, packed);
  if constexpr (Used.has(kernel::lstm_static))
    if (s.signature.kernel == kernel::lstm_static)
      return pack_static_lstm(kernels, s, n, state, data, qparams, packed);
  if constexpr (Used.any(&facts::has_cells))
    if (kernel_is.has_cells) return pack_recurrent(kernels, s, n, state, packed);
  if constexpr (Used.any(&facts::calls_op) || Used.any(&facts::has_tensors)) {
    if (kernel_is.calls_op && is_called_after_layer(s, n)) {
      data.options = following_options(n.attrs);
      return done{};
    }
    if (kernel_is.calls_op || kernel_is.has_tensors) {
      data.options = n.attrs;
      const status ok = pack_op_parameters(n, state, s.signature.in != f32, data, packed);
      if constexpr (Used.has(kernel::elementwise))
        if (s.signature.kernel == kernel::elementwise && bytes > 0)
          pack_table(s.signature.called_op, data, s.signature.in, data.in[0], packed);
      return ok;
    }
  }
  return done{};
}

}  // namespace packing

/// Packs the parameters of all steps.
///   Used     at least the kernels of the steps
///   graph    the one that the schedule was made for
///   qparams  one per observer; none for schedules that compute only in float
/// Errors  a tensor that is missing, of another dtype or shape, or not finite; as check_qparams;
///         with the node's name: a sum that could leave int32
template <used_kernels Used = all_kernels>
[[nodiscard, gnu::cold]] result<parameters> pack_steps(const kernel_packing& kernels,
                                                       span<const step> steps,
                                                       const graph_nodes& graph,
                                                       const state_dict& state,
                                                       span<const qparams> qparams) {
  parameters p{aligned_buffer(packed_end(kernels, steps)), list<step_data>(steps.size())};
  const span<const node> nodes = graph.nodes;
  auto constants = packing::pack_constants(graph, state);
  if (!constants) return unexpected{constants.error()};
  p.constants = *std::move(constants);
  const bool on_integers = std::ranges::any_of(steps, [](const step& s) {
    return is_quantized(s.signature.in) || is_quantized(s.signature.out);
  });
  if (const status ok = check_qparams(on_integers ? steps : steps.first(0), qparams); !ok)
    return unexpected{ok.error()};
  const auto qparams_of = [&](int observer) {
    return observer < 0 || !on_integers ? ctq::qparams{}
                                        : qparams[static_cast<std::size_t>(observer)];
  };
  std::byte* packed = p.packed.data();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const step& s = steps[i];
    step_data& d = p.data[i];
    d.in[0] = qparams_of(s.in_observer[0]);
    d.in[1] = qparams_of(s.in_observer[1]);
    d.out = qparams_of(s.out_observer);
    d.fused = qparams_of(s.fused_observer);
    d.out_range =
        ctq::kernels::output_range_of(packing::layer_output(s.signature, d), s.signature.relu);
    if constexpr (Used.clamps)
      if (s.clamp_node >= 0)
        packing::clamp_output(nodes[static_cast<std::size_t>(s.clamp_node)], s.signature, d);
    const std::size_t bytes = kernels.packed_bytes(s.signature);
    if (const status ok =
            packing::pack_step<Used>(kernels, s, nodes, state, qparams, d, packed, bytes);
        !ok)
      return unexpected{ok.error()};
    packed += packing::padded(bytes);
  }
  return p;
}

}  // namespace ctq
