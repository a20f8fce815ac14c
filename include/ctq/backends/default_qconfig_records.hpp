// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/backends/default_qconfigs.hpp"
#include "ctq/core/same_text.hpp"
#include "ctq/core/semantics.hpp"

// PyTorch's qconfigs as records, by name at run time: named qconfigs, and the defaults of a
// backend. Includes differences between releases.

namespace ctq {

namespace qconfig_parts {

struct engine {
  std::string_view name;
  engine_traits traits;
};

inline constexpr engine engines[] = {
    {"fbgemm", traits<fbgemm>},
    {"qnnpack", traits<qnnpack>},
    {"onednn", traits<onednn>},
    {"x86", traits<x86>},
};

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

constexpr observer_record activation_in_training(const engine_traits& t, int version) {
  return {observer_class::moving_average_min_max,
          {.reduce_range = t.reduce_range, .quant_min = 0, .quant_max = 255},
          version == 0 ? fake_quantize_class::fake_quantize
                       : fake_quantize_class::fused_moving_avg_obs_fake_quantize};
}

constexpr const observer_record& weight_in_training(const engine_traits& t, int version) {
  if (version == 0)
    return t.per_channel_weight ? default_per_channel_weight_fake_quant::value
                                : default_weight_fake_quant::value;
  return t.per_channel_weight ? default_fused_per_channel_wt_fake_quant::value
                              : default_fused_wt_fake_quant::value;
}

}  // namespace qconfig_parts

/// The requirements of an engine's kernels; null if PyTorch has no defaults for it.
[[nodiscard]] constexpr const engine_traits* find_engine(std::string_view backend) {
  for (const qconfig_parts::engine& e : qconfig_parts::engines)
    if (same_text(e.name, backend)) return &e.traits;
  return nullptr;
}

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

/// Whether PyTorch's get_default_qconfig(backend, version), or that for training, succeeds.
[[nodiscard]] constexpr bool has_default_qconfig(std::string_view backend, bool is_qat, semantics s,
                                                 int version) {
  const bool known_version = version == 0 || (is_qat && version == 1);
  return known_version &&
         (find_engine(backend) != nullptr || unknown_backend_gets_default_qconfig(s));
}

/// get_default_qconfig(backend)
/// Requires  has_default_qconfig(backend, false, s, 0)
[[nodiscard]] constexpr qconfig_record default_qconfig_record(std::string_view backend) {
  const engine_traits* const engine = find_engine(backend);
  if (engine == nullptr) return default_qconfig::value;
  return {{observer_class::histogram, {.reduce_range = engine->reduce_range}},
          engine->per_channel_weight ? default_per_channel_weight_observer::value
                                     : default_weight_observer::value};
}

/// get_default_qat_qconfig(backend, version): version 1 uses fused observer and fake quantize, 0
/// separate ones.
/// Requires  has_default_qconfig(backend, true, s, version)
[[nodiscard]] constexpr qconfig_record default_qat_qconfig_record(std::string_view backend,
                                                                  int version = 1) {
  const engine_traits* const engine = find_engine(backend);
  if (engine == nullptr)
    return version == 0 ? default_qat_qconfig::value : default_qat_qconfig_v2::value;
  return {qconfig_parts::activation_in_training(*engine, version),
          qconfig_parts::weight_in_training(*engine, version)};
}

}  // namespace ctq
