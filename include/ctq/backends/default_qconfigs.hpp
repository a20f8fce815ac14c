// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/backends/qconfigs.hpp"

// The default qconfigs of a backend: get_default_qconfig and get_default_qat_qconfig of PyTorch
// 2.1, which supports four backends and raises an AssertionError for any other.

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

template <class Backend, class PerChannel, class PerTensor>
using weight_of = std::conditional_t<traits<Backend>.per_channel_weight, PerChannel, PerTensor>;

template <class Backend>
using qat_activation = moving_average_min_max_observer<{
    .reduce_range = traits<Backend>.reduce_range, .quant_min = 0, .quant_max = 255}>;

}  // namespace qconfig_parts

/// get_default_qconfig(backend)
template <class Backend>
struct default_qconfig_of
    : qconfig<histogram_observer<{.reduce_range = qconfig_parts::traits<Backend>.reduce_range}>,
              qconfig_parts::weight_of<Backend, default_per_channel_weight_observer,
                                       default_weight_observer>> {};

/// get_default_qat_qconfig(backend, version): version 1 uses fused observer and fake quantize, 0
/// separate ones.
template <class Backend, int Version = 1>
struct default_qat_qconfig_of
    : qconfig<fused_moving_avg_obs_fake_quantize<qconfig_parts::qat_activation<Backend>>,
              qconfig_parts::weight_of<Backend, default_fused_per_channel_wt_fake_quant,
                                       default_fused_wt_fake_quant>> {
  static_assert(Version == 1, "ctq: the version of a default QAT qconfig is 0 or 1");
};
template <class Backend>
struct default_qat_qconfig_of<Backend, 0>
    : qconfig<fake_quantize<qconfig_parts::qat_activation<Backend>>,
              qconfig_parts::weight_of<Backend, default_per_channel_weight_fake_quant,
                                       default_weight_fake_quant>> {};

}  // namespace ctq
