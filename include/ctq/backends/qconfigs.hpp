// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/backends/default_observers.hpp"
#include "ctq/core/same_text.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/spec/qconfig.hpp"

// PyTorch's named qconfigs, as types and by name at run time.

namespace ctq {

// ---- post-training quantization

struct default_qconfig : qconfig<default_observer, default_weight_observer> {};
struct default_per_channel_qconfig
    : qconfig<default_observer, default_per_channel_weight_observer> {};
struct default_debug_qconfig : qconfig<default_debug_observer, default_weight_observer> {};

/// For PReLU, whose kernels require a quint8 weight.
struct default_quint8_weight_qconfig : qconfig<histogram_observer<>, min_max_observer<>> {};

/// For ops that return a view of a tensor.
struct default_reuse_input_qconfig : qconfig<default_reuse_input_observer, noop_observer<>> {};

// ---- dynamic: activations are quantized at run time

struct default_dynamic_qconfig : qconfig<default_dynamic_quant_observer, default_weight_observer> {
};
struct per_channel_dynamic_qconfig
    : qconfig<default_dynamic_quant_observer, default_per_channel_weight_observer> {};
struct float16_dynamic_qconfig : qconfig<placeholder_observer<{.dtype = f16, .is_dynamic = true}>,
                                         placeholder_observer<{.dtype = f16}>> {};

struct float16_static_qconfig
    : qconfig<placeholder_observer<{.dtype = f16}>, placeholder_observer<{.dtype = f16}>> {};

/// For linear layers, as torchao's Int8DynamicActivationInt4WeightConfig with symmetric
/// activations: weights of 4 bits with a scale for each group of GroupSize inputs of an output
/// channel. Each row of the input is quantized to qint8, with the scale of its largest magnitude.
/// For the backend executorch: eps meets its constraint; it changes only the scales of weights.
///   GroupSize  1 to 2^20; the last group of an output channel may be smaller
template <int GroupSize = 32>
struct int8_dynamic_activation_int4_weight_qconfig
    : qconfig<placeholder_observer<{.dtype = qint8, .eps = 0x1p-12F, .is_dynamic = true}>,
              per_channel_min_max_observer<default_args::int4_weight(GroupSize)>> {};

// ---- embeddings

struct float_qparams_weight_only_qconfig
    : qconfig<default_placeholder_observer, default_float_qparams_observer> {};
struct float_qparams_weight_only_qconfig_4bit
    : qconfig<default_placeholder_observer, default_float_qparams_observer_4bit> {};

struct default_embedding_qat_qconfig : qconfig<noop_observer<f32>, default_embedding_fake_quant> {};
struct default_embedding_qat_qconfig_4bit
    : qconfig<noop_observer<f32>, default_embedding_fake_quant_4bit> {};

// ---- quantization-aware training

struct default_qat_qconfig : qconfig<default_fake_quant, default_weight_fake_quant> {};
struct default_qat_qconfig_v2 : qconfig<default_fused_act_fake_quant, default_fused_wt_fake_quant> {
};
struct default_dynamic_qat_qconfig
    : qconfig<default_dynamic_fake_quant, default_weight_fake_quant> {};

// ---- weight or activation only: the other is a module instead of an observer, which FX graph mode
// quantization does not accept

struct default_weight_only_qconfig : qconfig<no_observer, default_weight_fake_quant> {};
struct default_activation_only_qconfig : qconfig<default_fake_quant, no_observer> {};

// ---- XNNPACK via the qnnpack backend: signed activations, weights without -128

namespace qconfig_parts {

using xnnpack_activation = histogram_observer<{.dtype = qint8, .eps = 0x1p-12F}>;
using xnnpack_qat_activation = fused_moving_avg_obs_fake_quantize<moving_average_min_max_observer<{
    .dtype = qint8, .quant_min = -128, .quant_max = 127, .eps = 0x1p-12F}>>;

}  // namespace qconfig_parts

struct default_symmetric_qnnpack_qconfig
    : qconfig<qconfig_parts::xnnpack_activation, weight_observer_range_neg_127_to_127> {};
struct default_per_channel_symmetric_qnnpack_qconfig
    : qconfig<qconfig_parts::xnnpack_activation, per_channel_weight_observer_range_neg_127_to_127> {
};
struct default_symmetric_qnnpack_qat_qconfig
    : qconfig<qconfig_parts::xnnpack_qat_activation, fused_wt_fake_quant_range_neg_127_to_127> {};
struct default_per_channel_symmetric_qnnpack_qat_qconfig
    : qconfig<qconfig_parts::xnnpack_qat_activation,
              fused_per_channel_wt_fake_quant_range_neg_127_to_127> {};

namespace qconfig_parts {

struct named_record {
  std::string_view name;
  qconfig_record value;
};

// clang-format off
inline constexpr named_record named_records[] = {
    {"default_qconfig", default_qconfig::value},
    {"default_per_channel_qconfig", default_per_channel_qconfig::value},
    {"default_debug_qconfig", default_debug_qconfig::value},
    {"default_quint8_weight_qconfig", default_quint8_weight_qconfig::value},
    {"default_reuse_input_qconfig", default_reuse_input_qconfig::value},
    {"default_dynamic_qconfig", default_dynamic_qconfig::value},
    {"per_channel_dynamic_qconfig", per_channel_dynamic_qconfig::value},
    {"float16_dynamic_qconfig", float16_dynamic_qconfig::value},
    {"float16_static_qconfig", float16_static_qconfig::value},
    {"float_qparams_weight_only_qconfig", float_qparams_weight_only_qconfig::value},
    {"float_qparams_weight_only_qconfig_4bit", float_qparams_weight_only_qconfig_4bit::value},
    {"default_embedding_qat_qconfig", default_embedding_qat_qconfig::value},
    {"default_embedding_qat_qconfig_4bit", default_embedding_qat_qconfig_4bit::value},
    {"default_qat_qconfig", default_qat_qconfig::value},
    {"default_qat_qconfig_v2", default_qat_qconfig_v2::value},
    {"default_dynamic_qat_qconfig", default_dynamic_qat_qconfig::value},
    {"default_weight_only_qconfig", default_weight_only_qconfig::value},
    {"default_activation_only_qconfig", default_activation_only_qconfig::value},
    {"default_symmetric_qnnpack_qconfig", default_symmetric_qnnpack_qconfig::value},
    {"default_per_channel_symmetric_qnnpack_qconfig",
     default_per_channel_symmetric_qnnpack_qconfig::value},
    {"default_symmetric_qnnpack_qat_qconfig", default_symmetric_qnnpack_qat_qconfig::value},
    {"default_per_channel_symmetric_qnnpack_qat_qconfig",
     default_per_channel_symmetric_qnnpack_qat_qconfig::value},
};
// clang-format on

}  // namespace qconfig_parts

/// Writes the qconfig of this name, such as "default_qconfig", to `out`; false if there is none.
[[nodiscard]] constexpr bool find_qconfig(std::string_view name, semantics s, qconfig_record& out) {
  for (const qconfig_parts::named_record& known : qconfig_parts::named_records) {
    if (!same_text(known.name, name)) continue;
    out = known.value;
    if (!dynamic_quant_observer_has_range(s) &&
        out.activation == default_dynamic_quant_observer::value)
      out.activation = dtype_only_dynamic_quant_observer::value;
    return true;
  }
  return false;
}

}  // namespace ctq
