// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

#include "ctq/kernels/reference/resampling.hpp"
#include "ctq/kernels/simd/widths.hpp"

namespace ctq::kernels::simd {

/// Copies pixels, and whole rows that are those of the row before.
template <class T>
void copy_nearest(const resampling_shape& s, const T* in, T* out) noexcept {
  const auto pixel = static_cast<std::size_t>(s.channels) * sizeof(T);
  const std::ptrdiff_t row = std::ptrdiff_t{s.out_w} * s.channels;
  for (int n = 0; n < s.batch; ++n) {
    int copied = -1;  // the row of the input that the last row of the output shows
    for (int y = 0; y < s.out_h; ++y, out += row) {
      const int from = sampling_point_of(y, s.in_h, s.scale_h(), s.sampling).a;
      if (from == copied) {
        std::memcpy(out, out - row, static_cast<std::size_t>(row) * sizeof(T));
        continue;
      }
      copied = from;
      const T* const line = in + std::ptrdiff_t{from} * s.in_w * s.channels;
      T* to = out;
      for (int x = 0; x < s.out_w; ++x, to += s.channels) {
        const int column = sampling_point_of(x, s.in_w, s.scale_w(), s.sampling).a;
        std::memcpy(to, line + std::ptrdiff_t{column} * s.channels, pixel);
      }
    }
    in += std::ptrdiff_t{s.in_h} * s.in_w * s.channels;
  }
}

/// As reference::resampling on floats, bit for bit. Linear interpolation is that of the reference.
template <class Isa>
inline void resampling(resampling_shape s, const float* in, float* out) noexcept {
  if (!s.is_nearest()) return reference::resampling(s, in, out);
  copy_nearest(s, in, out);
}

/// As reference::resampling on integers, byte for byte.
template <class Isa, quantized Q>
inline void resampling(resampling_shape s, const Q* in, const qparams& in_q, const qparams& out_q,
                       Q* out) noexcept {
  const bool copies = s.is_nearest() && in_q == out_q && same_scale_and_zero_point(in_q, out_q);
  if (!copies) return reference::resampling(s, in, in_q, out_q, out);
  copy_nearest(s, in, out);
}

}  // namespace ctq::kernels::simd
