// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/axis_sums.hpp"
#include "ctq/kernels/reference/pooling_avg.hpp"

namespace ctq::kernels::reference {

/// Some axes of a tensor; a stride is the distance of two neighbours, in elements.
struct tensor_axes {
  int count{};
  int extent[max_rank]{};
  std::ptrdiff_t stride[max_rank]{};

  [[nodiscard, gnu::always_inline]] constexpr std::ptrdiff_t elements() const noexcept {
    std::ptrdiff_t n = 1;
    for (int a = 0; a < count; ++a) n *= extent[a];
    return n;
  }
  /// The offset of element i; the last axis varies fastest.
  [[nodiscard, gnu::always_inline]] constexpr std::ptrdiff_t offset(
      std::ptrdiff_t i) const noexcept {
    std::ptrdiff_t at = 0;
    for (int a = count; a-- > 0; i /= extent[a]) at += i % extent[a] * stride[a];
    return at;
  }
};

/// The axes that are reduced, or those that are kept.
[[nodiscard, gnu::always_inline]] constexpr tensor_axes axes_of(const reduction_shape& s,
                                                                bool reduced) noexcept {
  tensor_axes all;
  const int* const extent = s.in.extent;
  for (int a = 0; a < s.in.rank; ++a) {
    if (s.reduces(a) != reduced) continue;
    all.extent[all.count] = extent[a];
    std::ptrdiff_t& stride = all.stride[all.count++];
    stride = 1;
    for (int b = a + 1; b < s.in.rank; ++b) stride *= extent[b];
  }
  return all;
}

/// Whether `value` takes the place of the largest or smallest so far; NaN always does.
template <class T>
[[nodiscard, gnu::always_inline]] constexpr bool replaces(reduction_rule rule, T value,
                                                          T best) noexcept {
  return (rule == reduction_rule::max ? value > best : value < best) || value != value;
}

/// The largest or smallest elements; the last NaN, if there is one.
template <class T>
[[gnu::always_inline]] inline void extremes(const reduction_shape& s, const T* in,
                                            T* out) noexcept {
  const tensor_axes kept = axes_of(s, false), reduced = axes_of(s, true);
  for (std::ptrdiff_t o = 0; o < kept.elements(); ++o) {
    const T* const x = in + kept.offset(o);
    T best = x[0];
    for (std::ptrdiff_t i = 0; i < reduced.elements(); ++i) {
      const T value = x[reduced.offset(i)];
      if (replaces(s.rule, value, best)) best = value;
    }
    out[o] = best;
  }
}

/// The quantizer that requantizes sums of n integers, divided by n if the rule is mean.
[[nodiscard, gnu::always_inline]] inline quantizer sums_quantizer(const reduction_shape& s,
                                                                  std::ptrdiff_t n,
                                                                  const qparams& in_q,
                                                                  const qparams& out_q) noexcept {
  return mean_of(s.rule == reduction_rule::mean ? static_cast<int>(n) : 1, in_q, out_q);
}

/// Mean, sum, maximum or minimum along axes, on integers.
///
///   out = clamp(zp_out + rne(float(Σ (in - zp_in)) * (scale_in / (n * scale_out))))
///
/// Shapes    out: the axes of `in` that are kept
/// n         elements of a mean, 1 of a sum
/// Units     of a maximum or minimum: input and output share their qparams
/// Source    PyTorch's mean on integers: quantize(mean(dequantize(in))), as an average pool here
template <quantized Q>
[[gnu::always_inline]] inline void reduction(const reduction_shape& s, const Q* in,
                                             const qparams& in_q, const qparams& out_q,
                                             Q* out) noexcept {
  if (s.rule == reduction_rule::max || s.rule == reduction_rule::min) return extremes(s, in, out);
  const tensor_axes kept = axes_of(s, false), reduced = axes_of(s, true);
  const quantizer to = sums_quantizer(s, reduced.elements(), in_q, out_q);
  for (std::ptrdiff_t o = 0; o < kept.elements(); ++o) {
    const Q* const x = in + kept.offset(o);
    std::int64_t sum = 0;
    for (std::ptrdiff_t i = 0; i < reduced.elements(); ++i)
      sum += x[reduced.offset(i)] - in_q.zero_point;
    out[o] = quantize<Q>(static_cast<float>(sum), to);
  }
}

/// On float32: sums in the order of kernels/axis_sums.hpp, divided by n for a mean.
[[gnu::always_inline]] inline void reduction(const reduction_shape& s, const float* in,
                                             float* out) noexcept {
  if (s.rule == reduction_rule::max || s.rule == reduction_rule::min) return extremes(s, in, out);
  const std::ptrdiff_t count = axes_of(s, false).elements();
  for (std::ptrdiff_t o = 0; o < count; ++o) out[o] = 0.0F;
  const auto loops = sum_loops_of<max_rank>(
      static_cast<std::size_t>(s.in.rank),
      [&s](std::size_t a) { return static_cast<std::size_t>(s.in[static_cast<int>(a)]); },
      [&s](std::size_t a) { return s.reduces(static_cast<int>(a)); });
  add_axis_sums(loops, in, out);
  const auto n = static_cast<float>(axes_of(s, true).elements());
  if (s.rule == reduction_rule::mean)
    for (std::ptrdiff_t o = 0; o < count; ++o) out[o] /= n;
}

}  // namespace ctq::kernels::reference
