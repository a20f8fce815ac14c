// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/backends/qconfigs.hpp"

// The default qconfigs of a backend: get_default_qconfig and get_default_qat_qconfig of PyTorch
// 2.1, which supports four backends and raises an AssertionError for any other. As types for a
// backend that is one, as records for a name at run time.

namespace ctq {

struct fbgemm;
struct x86;
struct qnnpack;
struct onednn;

/// The requirements of an engine's kernels.
struct engine_traits {
  bool reduce_range = false;               // 7-bit activations, for sums of pairs in 16 bits
  bool per_channel_weight = false;         // a scale per output channel
  bool per_tensor_conv_transpose = false;  // but not in transposed convolutions
};

/// Specialize it for a user-defined backend, with a constant engine_traits `value`, to give it
/// defaults.
template <class Backend>
struct engine_defaults {};

template <class Backend>
concept has_engine_defaults = requires {
  engine_defaults<Backend>::value;
};

template <>
struct engine_defaults<fbgemm> {
  static constexpr engine_traits value{
      .reduce_range = true, .per_channel_weight = true, .per_tensor_conv_transpose = true};
};
template <>
struct engine_defaults<x86> : engine_defaults<fbgemm> {};
template <>
struct engine_defaults<qnnpack> {
  static constexpr engine_traits value{};
};
template <>
struct engine_defaults<onednn> {
  static constexpr engine_traits value{.per_channel_weight = true};
};

namespace qconfig_parts {

template <class Backend>
constexpr engine_traits traits_of() {
  static_assert(has_engine_defaults<Backend>,
                "ctq: PyTorch has default qconfigs for fbgemm, x86, qnnpack and onednn only; take "
                "those of one of them, or specialize ctq::engine_defaults");
  return engine_defaults<Backend>::value;
}
template <class Backend>
inline constexpr engine_traits traits = traits_of<Backend>();

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

}  // namespace qconfig_parts

/// The requirements of an engine's kernels; null if PyTorch has no defaults for it.
[[nodiscard]] constexpr const engine_traits* find_engine(std::string_view backend) {
  for (const qconfig_parts::engine& e : qconfig_parts::engines)
    if (same_text(e.name, backend)) return &e.traits;
  return nullptr;
}

/// Whether PyTorch's get_default_qconfig(backend, version), or that for training, succeeds.
[[nodiscard]] constexpr bool has_default_qconfig(std::string_view backend, bool is_qat, semantics s,
                                                 int version) {
  const bool known_version = version == 0 || (is_qat && version == 1);
  return known_version &&
         (find_engine(backend) != nullptr || unknown_backend_gets_default_qconfig(s));
}

/// get_default_qconfig(backend); null: a backend that PyTorch 1.13 does not know, for which it
/// gives default_qconfig
[[nodiscard]] constexpr qconfig_record default_qconfig_record(const engine_traits* engine) {
  if (engine == nullptr) return default_qconfig::value;
  return {{observer_class::histogram, {.reduce_range = engine->reduce_range}},
          engine->per_channel_weight ? default_per_channel_weight_observer::value
                                     : default_weight_observer::value};
}

/// get_default_qat_qconfig(backend, version): version 1 uses fused observer and fake quantize, 0
/// separate ones.
[[nodiscard]] constexpr qconfig_record default_qat_qconfig_record(const engine_traits* engine,
                                                                  int version = 1) {
  const bool fused = version == 1;
  if (engine == nullptr) return fused ? default_qat_qconfig_v2::value : default_qat_qconfig::value;
  const observer_record activation{
      observer_class::moving_average_min_max,
      {.reduce_range = engine->reduce_range, .quant_min = 0, .quant_max = 255},
      fused ? fake_quantize_class::fused_moving_avg_obs_fake_quantize
            : fake_quantize_class::fake_quantize};
  if (engine->per_channel_weight)
    return {activation, fused ? default_fused_per_channel_wt_fake_quant::value
                              : default_per_channel_weight_fake_quant::value};
  return {activation,
          fused ? default_fused_wt_fake_quant::value : default_weight_fake_quant::value};
}

/// get_default_qconfig(backend)
template <class Backend>
struct default_qconfig_of {
  static constexpr bool quantizes = true;
  static constexpr qconfig_record value = default_qconfig_record(&qconfig_parts::traits<Backend>);
};

/// get_default_qat_qconfig(backend, version)
template <class Backend, int Version = 1>
struct default_qat_qconfig_of {
  static_assert(Version == 0 || Version == 1,
                "ctq: the version of a default QAT qconfig is 0 or 1");
  static constexpr bool quantizes = true;
  static constexpr qconfig_record value =
      default_qat_qconfig_record(&qconfig_parts::traits<Backend>, Version);
};

}  // namespace ctq
