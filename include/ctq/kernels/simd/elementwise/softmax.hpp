// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/kernels/reference/softmax.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/elementwise/exponential.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

namespace softmax_rows {

/// The 16 elements of a row from the i-th on, contiguous. Of those after the end `rest` has
/// copies, with `filler` for elements that are not there.
[[nodiscard, gnu::always_inline]] inline const float* elements(const softmax_shape& s,
                                                               const float* row, int i,
                                                               float filler, float* rest) noexcept {
  constexpr int lanes = reference::row_sums;
  if (s.step == 1 && i + lanes <= s.count) return row + i;
  for (int j = 0; j < lanes; ++j)
    rest[j] = i + j < s.count ? row[static_cast<std::ptrdiff_t>(i + j) * s.step] : filler;
  return rest;
}

/// The other way round.
[[gnu::always_inline]] inline void store(const softmax_shape& s, const float* from, float* row,
                                         int i) noexcept {
  constexpr int lanes = reference::row_sums;
  const int count = s.count - i < lanes ? s.count - i : lanes;
  for (int j = 0; j < count; ++j) row[static_cast<std::ptrdiff_t>(i + j) * s.step] = from[j];
}

/// Replaces the elements of a row by f of them, of a register or of one.
template <vectorized Isa, class F>
[[gnu::always_inline]] inline void for_each(const softmax_shape& s, float* row, F f) noexcept {
  using floats = batch<Isa, float>;
  constexpr int width = static_cast<int>(floats::size);
  int i = 0;
  if (s.step == 1) {
    for (; i + width <= s.count; i += width)
      f(floats::load_unaligned(row + i)).store_unaligned(row + i);
  }
  for (; i < s.count; ++i) {
    float& x = row[static_cast<std::ptrdiff_t>(i) * s.step];
    x = f(x);
  }
}

}  // namespace softmax_rows

/// As reference::softmax, bit for bit but for the bits of NaN.
template <class Isa>
[[gnu::noinline]] void softmax(const softmax_shape& s, const float* in, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::softmax(s, in, out);
  } else {
    using floats = batch<Isa, float>;
    constexpr int lanes = reference::row_sums;
    constexpr int width = static_cast<int>(floats::size);
    constexpr int registers = lanes / width;
    for (std::ptrdiff_t row = 0; row < s.rows; ++row) {
      const std::ptrdiff_t first = row / s.step * s.step * s.count + row % s.step;
      const float* const x = in + first;
      float* const y = out + first;
      alignas(64) float rest[lanes];
      // A NaN makes the sum NaN, whatever the maximum is.
      floats most[registers];
      for (floats& m : most) m = floats(x[0]);
      for (int i = 0; i < s.count; i += lanes) {
        const float* const from = softmax_rows::elements(s, x, i, x[0], rest);
        for (int r = 0; r < registers; ++r)
          most[r] = xsimd::max(floats::load_unaligned(from + r * width), most[r]);
      }
      for (int r = 0; r < registers; ++r) most[r].store_unaligned(rest + r * width);
      for (int half = lanes / 2; half > 0; half /= 2)
        for (int i = 0; i < half; ++i)
          rest[i] = rest[i + half] > rest[i] ? rest[i + half] : rest[i];
      const floats subtracted(rest[0]);
      floats sum[registers];
      for (floats& part : sum) part = floats(0.0F);
      const float nothing = -__builtin_huge_valf();  // its exp is 0
      for (int i = 0; i < s.count; i += lanes) {
        const float* const from = softmax_rows::elements(s, x, i, nothing, rest);
        alignas(64) float kept[lanes];
        const bool direct = s.step == 1 && i + lanes <= s.count;
        float* const to = direct ? y + i : kept;
        for (int r = 0; r < registers; ++r) {
          const floats shifted = floats::load_unaligned(from + r * width) - subtracted;
          const floats e = exp_of_negative<Isa>(shifted);
          sum[r] += e;
          (s.logarithm != 0 ? shifted : e).store_unaligned(to + r * width);
        }
        if (!direct) softmax_rows::store(s, kept, y, i);
      }
      float sums[lanes];
      for (int r = 0; r < registers; ++r) sum[r].store_unaligned(sums + r * width);
      const float total = reference::fold_sums(sums);
      if (s.logarithm != 0) {
        const auto log = static_cast<float>(log_of_sum(static_cast<double>(total)));
        softmax_rows::for_each<Isa>(
            s, y, [log](auto x) __attribute__((always_inline)) { return x - decltype(x)(log); });
      } else {
        const float factor = 1.0F / total;
        softmax_rows::for_each<Isa>(
            s,
            y, [factor](auto x) __attribute__((always_inline)) { return x * decltype(x)(factor); });
      }
    }
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
