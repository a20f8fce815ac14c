// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Which PyTorch is meant where releases differ. Each difference is one predicate below, named
// after what it does; nothing else asks which version it is.

namespace ctq {

enum class semantics : unsigned char { torch_2_1, torch_1_13 };

/// HistogramObserver gives histc its range cut to integers, so values outside it are dropped.
[[nodiscard]] constexpr bool histogram_range_is_truncated(semantics s) {
  return s == semantics::torch_1_13;
}

/// HistogramObserver starts afresh not only when all values so far were equal, but also when they
/// lie within 1e-6. Ours: PyTorch does so only in releases after 2.1.
[[nodiscard]] constexpr bool histogram_restarts_on_tiny_range(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver starts afresh when the range grows so much that PyTorch could not allocate
/// the finer histogram it goes through. Ours: 2.1 still tries to, later releases start afresh.
[[nodiscard]] constexpr bool histogram_restarts_on_huge_growth(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver divides by the range last when it grows, so that a denormal range survives.
[[nodiscard]] constexpr bool histogram_growth_avoids_underflow(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver leaves out infinite elements. Ours: 2.1 fails on them, later releases do not.
[[nodiscard]] constexpr bool histogram_ignores_infinity(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver fails where rounding puts the end of its old range behind that of the new one.
/// Ours, since 2.1 fails as well: what is beyond the last bin is counted in that.
[[nodiscard]] constexpr bool histogram_growth_fails_past_the_end(semantics s) {
  return s == semantics::torch_1_13;
}

/// HistogramObserver cubes distances in float32 when it looks for the best range: beyond some 1e12
/// they overflow, below 1e-11 they vanish, and nearly half of the range is cut off. Ours, since
/// every PyTorch does so: the search does not depend on the unit of the values.
[[nodiscard]] constexpr bool histogram_search_overflows(semantics s) {
  return s == semantics::torch_1_13;
}

/// Observers with a range for each channel want two axes or more. Ours: every PyTorch fails on a
/// vector; its elements are its channels.
[[nodiscard]] constexpr bool vectors_have_no_channels(semantics s) {
  return s == semantics::torch_1_13;
}

/// FusedMovingAvgObsFakeQuantize trains with the formula of dynamic quantization, although
/// conversion then asks the observer, whose formula is another; eps is ignored in training. Ours,
/// since every PyTorch does so: one formula for both.
[[nodiscard]] constexpr bool fused_fake_quantize_uses_dynamic_formula(semantics s) {
  return s == semantics::torch_1_13;
}

/// The bounds that a backend sets to scales hold: what an observer gives is at least the lower one,
/// whatever its eps, and at most the upper one, else there is an error. Ours: PyTorch compares eps
/// with the lower bound and never looks at the upper one.
[[nodiscard]] constexpr bool scale_bounds_are_enforced(semantics s) {
  return s == semantics::torch_2_1;
}

/// A range too wide for float32 gives an infinite scale, as in every PyTorch. ctq calls it an
/// error unless the exact answer of PyTorch 1.13 is asked for.
[[nodiscard]] constexpr bool infinite_scale_is_kept(semantics s) {
  return s == semantics::torch_1_13;
}

/// The default QConfigMapping lists the ops that fusion puts together beside the global qconfig,
/// because a fused module takes the qconfig that object_type gives its first part.
[[nodiscard]] constexpr bool default_mapping_lists_fusible_ops(semantics s) {
  return s == semantics::torch_1_13;
}

/// The default QConfigMapping knows that kernels want PReLU's weight in quint8.
[[nodiscard]] constexpr bool default_mapping_lists_prelu(semantics s) {
  return s == semantics::torch_2_1;
}

/// A backend that PyTorch has no qconfig for gets default_qconfig, rather than an error.
[[nodiscard]] constexpr bool unknown_backend_gets_default_qconfig(semantics s) {
  return s == semantics::torch_1_13;
}

/// default_dynamic_quant_observer says which integers it means, not only the dtype.
[[nodiscard]] constexpr bool dynamic_quant_observer_has_range(semantics s) {
  return s == semantics::torch_2_1;
}

/// Half precision whose activations are rounded as they come counts as static quantization.
[[nodiscard]] constexpr bool dynamic_float16_counts_as_static(semantics s) {
  return s == semantics::torch_1_13;
}

}  // namespace ctq
