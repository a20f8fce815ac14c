// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "ctq/core/kernel_signature.hpp"

namespace ctq::kernels::simd {

/// Bytes behind the copied image: the last reads of a kernel pass its end by less than a register.
inline constexpr std::size_t copy_slack_bytes = 64;

/// Activations as Dot wants them.
template <class Dot, class In>
[[gnu::always_inline]] inline void convert(const In* in, std::ptrdiff_t count,
                                           typename Dot::element* out) {
  using element = typename Dot::element;
  if constexpr (std::is_same_v<In, element>) {
    std::copy_n(in, count, out);
  } else {
    if constexpr (requires { Dot::elements(in); }) {
      constexpr int block = Dot::lanes * Dot::k_group;
      for (; count >= block; count -= block, in += block, out += block) {
        Dot::save(out, Dot::elements(in));
      }
    }
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      out[i] = static_cast<element>(in[i] + Dot::template offset<In>);
    }
  }
}

/// Copies an image [H,W,C] into the middle of one with a border: [H + 2ph, W + 2pw, C].
template <class Dot, class In>
[[gnu::always_inline]] inline void copy_image(const conv2d_shape& s, const In* in,
                                              typename Dot::element border,
                                              typename Dot::element* out) {
  const std::ptrdiff_t row = std::ptrdiff_t{s.in_w} * s.in_channels;
  const std::ptrdiff_t side = std::ptrdiff_t{s.padding_w} * s.in_channels;
  const std::ptrdiff_t above = s.padding_h * (row + 2 * side);
  constexpr auto slack = static_cast<std::ptrdiff_t>(copy_slack_bytes / sizeof(*out));
  out = std::fill_n(out, above, border);
  for (int y = 0; y < s.in_h; ++y, in += row) {
    out = std::fill_n(out, side, border);
    convert<Dot>(in, row, out);
    out = std::fill_n(out + row, side, border);
  }
  std::fill_n(out, above + slack, border);
}

}  // namespace ctq::kernels::simd
