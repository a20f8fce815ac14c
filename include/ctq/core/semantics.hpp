// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

// The PyTorch release to follow where releases differ. Each difference of specs and observers is
// one predicate below, named after its effect; those of the passes are in passes/fx_semantics.hpp.
// "Ours" marks choices of ctq that differ from the stated releases.

namespace ctq {

enum class semantics : unsigned char { torch_2_1, torch_1_13 };

[[nodiscard]] constexpr std::string_view name_of(semantics s) {
  return s == semantics::torch_2_1 ? "torch_2_1" : "torch_1_13";
}

/// HistogramObserver passes a range truncated to integers to histc, so values outside it are
/// dropped.
[[nodiscard]] constexpr bool histogram_range_is_truncated(semantics s) {
  return s == semantics::torch_1_13;
}

/// When HistogramObserver grows, it divides by the range last, so that a denormal range does not
/// underflow.
[[nodiscard]] constexpr bool histogram_growth_avoids_underflow(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver grows, in a larger unit, over ranges that overflow float32 when they are
/// multiplied by bins * upsample_rate. Ours, since 2.1 fails there.
[[nodiscard]] constexpr bool histogram_growth_avoids_overflow(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver ignores infinite elements. Ours: 2.1 fails on them, later releases do not.
[[nodiscard]] constexpr bool histogram_ignores_infinity(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver fails if rounding puts the end of its old range after that of the new one.
/// Ours, since 2.1 also fails: counts past the last bin are added to it.
[[nodiscard]] constexpr bool histogram_growth_fails_past_the_end(semantics s) {
  return s == semantics::torch_1_13;
}

/// HistogramObserver cubes distances in float32 when it searches the best range: above about 1e12
/// they overflow, below 1e-11 they underflow, and nearly half of the range is clipped, in all
/// releases of PyTorch. Ours: the search does not depend on the unit of the values.
[[nodiscard]] constexpr bool histogram_search_overflows(semantics s) {
  return s == semantics::torch_1_13;
}

/// Per-channel observers require at least two axes: all releases of PyTorch fail on a vector. Ours:
/// its elements are its channels.
[[nodiscard]] constexpr bool vectors_have_no_channels(semantics s) {
  return s == semantics::torch_1_13;
}

/// FusedMovingAvgObsFakeQuantize trains with the formula of dynamic quantization, although
/// conversion uses the observer's formula; eps is ignored in training. All releases of PyTorch do
/// this. Ours: one formula for both.
[[nodiscard]] constexpr bool fused_fake_quantize_uses_dynamic_formula(semantics s) {
  return s == semantics::torch_1_13;
}

/// A backend's bounds of scales are enforced: scales are raised to the lower bound, whatever the
/// observer's eps, and scales above the upper bound are an error. Ours: PyTorch compares eps with
/// the lower bound and ignores the upper one.
[[nodiscard]] constexpr bool scale_bounds_are_enforced(semantics s) {
  return s == semantics::torch_2_1;
}

/// A range too wide for float32 gives an infinite scale, as in all releases of PyTorch. Ours: an
/// error, except for torch_1_13.
[[nodiscard]] constexpr bool infinite_scale_is_kept(semantics s) {
  return s == semantics::torch_1_13;
}

/// The default QConfigMapping has entries for fusible ops besides the global qconfig, because a
/// fused module takes the object_type qconfig of its first part.
[[nodiscard]] constexpr bool default_mapping_lists_fusible_ops(semantics s) {
  return s == semantics::torch_1_13;
}

/// The default QConfigMapping has an entry for PReLU, whose kernels require a quint8 weight.
[[nodiscard]] constexpr bool default_mapping_lists_prelu(semantics s) {
  return s == semantics::torch_2_1;
}

/// A backend that PyTorch has no qconfig for gets default_qconfig, rather than an error.
[[nodiscard]] constexpr bool unknown_backend_gets_default_qconfig(semantics s) {
  return s == semantics::torch_1_13;
}

/// default_dynamic_quant_observer specifies quant_min and quant_max, not only the dtype.
[[nodiscard]] constexpr bool dynamic_quant_observer_has_range(semantics s) {
  return s == semantics::torch_2_1;
}

/// Dynamic float16 quantization counts as static quantization.
[[nodiscard]] constexpr bool dynamic_float16_counts_as_static(semantics s) {
  return s == semantics::torch_1_13;
}

}  // namespace ctq
