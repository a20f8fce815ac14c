// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/kernels/reference/user_op.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/check_qparams.hpp"
#include "ctq/runtime/fold.hpp"
#include "ctq/runtime/quantize_weights.hpp"
#include "ctq/runtime/user_parameters.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// What a schedule needs at run time besides its input: the numbers of each step, and all weights
// in the order their kernels read them, one behind the other.

namespace ctq {

struct parameters {
  aligned_buffer packed;
  std::vector<step_data> data;  // one a step
};

/// What parameters are made from. qparams: one an observer; none for float schedules.
struct parameter_sources {
  std::span<const node> nodes;  // of the graph the schedule was made for
  const ctq::weights* weights{};
  std::span<const ctq::qparams> qparams;
  backend_view backend;
  mapping_view mapping;
  ctq::semantics semantics{};
};

namespace packing {

[[nodiscard]] inline std::string place_of(const node& n) {
  std::string name = "node ";
  append_name(name, n);
  return name;
}

}  // namespace packing

/// The dtype config that was chosen for a quantized node.
[[nodiscard]] inline const dtype_config_record& config_of(const backend_view& backend,
                                                          const choice& c) {
  return backend.configs[c.pattern].dtype_configs[c.dtype_config];
}

namespace packing {

/// How many channels of the input one output reads.
[[nodiscard]] inline std::size_t channels_of(const kernel_signature& key) {
  return static_cast<std::size_t>(key.op == kernel::conv2d ? key.as<conv2d_shape>().in_group()
                                                           : key.as<linear_shape>().in_features);
}

/// The first tensor that the step reads and that is not there, or nothing.
[[nodiscard]] inline std::string missing_weight(const step& s, const node& n, const weights& w) {
  const bool weighted = kernels::facts_of(s.key.op).has_weights;
  if (weighted && w.find(n.name, "weight") == nullptr) return std::string{n.name} + ".weight";
  const std::string_view batch_norm = s.key.op == kernel::batch_norm2d ? n.name
                                      : weighted                       ? n.batch_norm
                                                                       : std::string_view{};
  if (batch_norm.empty()) return {};
  for (const char* part : {"weight", "bias", "running_mean", "running_var"})
    if (w.find(batch_norm, part) == nullptr) return std::string{batch_norm} + "." + part;
  return {};
}

/// The qparams of what a layer makes of its sums.
[[nodiscard]] inline const qparams& layer_output(const kernel_signature& key, const step_data& d) {
  return key.then == joined::nothing ? d.out : d.joined;
}

/// Calls f(code of the kernel, shape) for conv2d or linear.
template <class F>
void with_layer(const kernel_signature& key, F f) {
  if (key.op == kernel::conv2d) {
    f(kernels::kernel_code<kernels::descriptors::conv2d>{}, key.as<conv2d_shape>());
  } else {
    f(kernels::kernel_code<kernels::descriptors::linear>{}, key.as<linear_shape>());
  }
}

template <class Kernels>
status pack_weighted(const step& s, const node& n, const parameter_sources& from,
                     const step_data& data, std::byte* packed) {
  folded_weights f = fold(n, *from.weights);
  const bool is_dynamic = s.key.op == kernel::linear_dynamic;
  if (s.key.in == f32 && !is_dynamic) {
    f.weight = channels_last(f.weight, f.outputs, channels_of(s.key));
    with_layer(s.key, [&](auto code, const auto& shape) {
      code.template pack<Kernels, float>(shape, f.weight.data(), f.bias.data(), nullptr, packed);
    });
    return done{};
  }
  const dtype_config_record& config = config_of(from.backend, n.choice);
  result<quantized_weights> w =
      quantize_weights(f, from.mapping.entries[n.choice.qconfig].qconfig.weight,
                       config.weight_dtype, from.semantics);
  if (!w) return fail(place_of(n) + ", " + w.error().place, w.error().cause);
  if (is_dynamic) {
    if (const status ok = check_sums(*w); !ok)
      return fail(place_of(n) + ", " + ok.error().place, ok.error().cause);
    kernels::kernel_code<kernels::descriptors::linear_dynamic>::pack<Kernels>(
        s.key.as<linear_shape>(), w->weight.data(), w->scale.data(), f.bias.data(), packed);
    return done{};
  }
  const auto arithmetic =
      output_arithmetic_of(f.bias, *w, data.in[0], s.key.in, layer_output(s.key, data));
  if (!arithmetic)
    return fail(place_of(n) + ", " + arithmetic.error().place, arithmetic.error().cause);
  w->weight = channels_last(w->weight, f.outputs, channels_of(s.key));
  with_layer(s.key, [&](auto code, const auto& shape) {
    binding::with_dtype(s.key.in, [&](auto in) {
      if constexpr (in != f32)
        code.template pack<Kernels, element_t<in>>(shape, w->weight.data(), arithmetic->bias.data(),
                                                   arithmetic->multiplier.data(), packed);
    });
  });
  return done{};
}

/// y = x * scale + shift, from the four vectors of a batch norm that no conv took in.
inline void pack_batch_norm(const node& n, const weights& w, std::byte* packed) {
  const batch_norm_values b = batch_norm_of(w, n.name, n.attrs.as<batch_norm2d_options>().eps);
  const std::size_t channels = b.inverse_deviation.size();
  std::vector<float> scale_and_shift(2 * channels);
  for (std::size_t c = 0; c < channels; ++c) {
    scale_and_shift[c] = b.gamma[c] * b.inverse_deviation[c];
    scale_and_shift[channels + c] = b.beta[c] - no_contract(b.mean[c] * scale_and_shift[c]);
  }
  std::memcpy(packed, scale_and_shift.data(), 2 * channels * sizeof(float));
}

/// What an op of one tensor makes of each of the 256 integers of a type.
inline void pack_table(op_id op, const step_data& d, dtype type, const qparams& from,
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

}  // namespace packing

/// Where in the packed block each step's weights begin, and behind the last.
template <class Kernels>
[[nodiscard]] constexpr std::size_t packed_end(const step* steps, int count) {
  std::size_t at = 0;
  for (int i = 0; i < count; ++i) at += packing::padded(packed_bytes<Kernels>(steps[i].key));
  return at;
}

/// Errors  weights that are missing; as check_qparams, quantize_weights and output_arithmetic_of,
/// with
///         the node's name
template <class Kernels>
[[nodiscard]] result<parameters> make_parameters(std::span<const step> steps,
                                                 const parameter_sources& from) {
  parameters p{aligned_buffer(packed_end<Kernels>(steps.data(), static_cast<int>(steps.size()))),
               std::vector<step_data>(steps.size())};
  const bool on_integers =
      std::ranges::any_of(steps, [](const step& s) { return s.key.in != f32 || s.key.out != f32; });
  if (const status ok = check_qparams(on_integers ? steps : steps.first(0), from.qparams); !ok)
    return unexpected{ok.error()};
  const auto qparams_of = [&](int observer) {
    return observer < 0 || !on_integers ? qparams{}
                                        : from.qparams[static_cast<std::size_t>(observer)];
  };
  std::size_t at = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const step& s = steps[i];
    const node& n = from.nodes[static_cast<std::size_t>(s.node)];
    step_data& d = p.data[i];
    d.in[0] = qparams_of(s.in_observer[0]);
    d.in[1] = qparams_of(s.in_observer[1]);
    d.out = qparams_of(s.out_observer);
    d.joined = qparams_of(s.joined_observer);
    const qparams& q = packing::layer_output(s.key, d);
    d.steps = kernels::output_range_of(q, s.key.relu);
    std::byte* const packed = p.packed.data() + at;
    if (const std::string missing = packing::missing_weight(s, n, *from.weights); !missing.empty())
      return fail("tensor " + missing, "is missing");
    if (kernels::facts_of(s.key.op).has_weights) {
      if (const status ok = packing::pack_weighted<Kernels>(s, n, from, d, packed); !ok)
        return unexpected{ok.error()};
      if (s.key.then == joined::table) {
        const node& op = from.nodes[static_cast<std::size_t>(s.joined_node)];
        d.options = op.attrs;
        packing::pack_table(op.op, d, s.key.out, d.joined,
                            packed + packed_bytes<Kernels>(s.key) - 256);
      }
    } else if (s.key.op == kernel::batch_norm2d) {
      packing::pack_batch_norm(n, *from.weights, packed);
    } else if (kernels::facts_of(s.key.op).calls_op) {
      d.options = n.attrs;
      const weight_quantization how =
          s.key.in == f32 || n.op->descriptor->parameters == nullptr
              ? weight_quantization{}
              : weight_quantization{&from.mapping.entries[n.choice.qconfig].qconfig.weight,
                                    &config_of(from.backend, n.choice).weight_dtype,
                                    from.semantics};
      if (const status ok = packing::pack_user_parameters(n, *from.weights, how, d, packed); !ok)
        return unexpected{ok.error()};
      if (s.key.op == kernel::elementwise && packed_bytes<Kernels>(s.key) > 0)
        packing::pack_table(s.key.own, d, s.key.in, d.in[0], packed);
    }
    at += packing::padded(packed_bytes<Kernels>(s.key));
  }
  return p;
}

}  // namespace ctq
