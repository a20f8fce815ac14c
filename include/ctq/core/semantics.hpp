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
/// lie within 1e-6.
[[nodiscard]] constexpr bool histogram_restarts_on_tiny_range(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver starts afresh when the range grows so much that PyTorch could not allocate
/// the finer histogram it goes through.
[[nodiscard]] constexpr bool histogram_restarts_on_huge_growth(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver divides by the range last when it grows, so that a denormal range survives.
[[nodiscard]] constexpr bool histogram_growth_avoids_underflow(semantics s) {
  return s == semantics::torch_2_1;
}

/// HistogramObserver leaves out infinite elements.
[[nodiscard]] constexpr bool histogram_ignores_infinity(semantics s) {
  return s == semantics::torch_2_1;
}

/// A range too wide for float32 gives an infinite scale, as in every PyTorch. ctq calls it an
/// error unless the exact answer of PyTorch 1.13 is asked for.
[[nodiscard]] constexpr bool infinite_scale_is_kept(semantics s) {
  return s == semantics::torch_1_13;
}

}  // namespace ctq
