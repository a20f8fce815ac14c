// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/column_blocking.hpp"
#include "ctq/kernels/simd/convolution/row_bands.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"

// The image that a core reads: the input itself, or a copy in the workspace, converted, padded, in
// bands, or with only the pixels that are read.

namespace ctq::kernels::simd {

/// The activations that tiles take: unchanged.
template <class In>
struct plain_elements {
  using element = In;
  template <class>
  static constexpr int offset = 0;
};

/// The activations that a method's Model, a dot_arch or a tile_arch, takes.
template <class Model, method By, class In>
using elements_of = std::conditional_t<By == method::tiles, plain_elements<In>, Model>;

/// How an image is copied before it is read.
struct input_copy {
  bool needed;
  bool gathered;  // only the pixels of a 1x1 convolution with a stride; else all, padded
  std::size_t elements;
  row_bands bands{};  // the layout of the copy
};

/// The input is copied to convert it, to pad it, because the last read of a pixel would pass the
/// end, or because the blocking requires it.
template <class Model, method By, class In, class Shape>
[[nodiscard]] constexpr input_copy input_copy_of(const Shape& shape) {
  const conv2d_shape& s = shape;
  const auto elements = [&](int h, int w) {
    return static_cast<std::size_t>(h) * static_cast<std::size_t>(w) *
           static_cast<std::size_t>(s.in_channels);
  };
  const bool padded = s.padding_h > 0 || s.padding_w > 0;
  const std::size_t all = elements(s.padded_h(), s.padded_w());
  if constexpr (By == method::tiles) {
    const tile_blocking& p = tile_blocking_of(shape);
    if (p.gathered) return {true, true, elements(s.out_h(), s.out_w())};
    if (p.bands.any()) {
      return {true, false, static_cast<std::size_t>(band_lines_of(s, p.bands).end), p.bands};
    }
    return {padded || p.width > p.runs.length, false, all};
  } else {
    const bool changed = padded || !std::is_same_v<In, typename Model::element>;
    if constexpr (By == method::depthwise) {
      const bool reads_past = s.in_channels % (Model::lanes * Model::k_group) != 0;
      return {!by_columns<Model>(s) && (changed || reads_past), false, all};
    } else {
      return {changed || runs_of<Model>(s).length % Model::k_group != 0, false, all};
    }
  }
}

/// Bytes after the copied image: the last reads of a kernel pass its end by less than a register.
inline constexpr std::size_t copy_slack_bytes = 64;

/// Converts activations to elements of Dot.
template <class Dot, class In>
[[gnu::always_inline]] inline void convert(const In* in, std::ptrdiff_t count,
                                           typename Dot::element* out) {
  using element = typename Dot::element;
  if constexpr (std::is_same_v<In, element>) {
    copy_row(in, count, out);
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

/// The elements that fill_ahead and copy_ahead write at once: at most copy_slack_bytes.
inline constexpr std::ptrdiff_t elements_at_once = 16;

/// Fills `count` elements, and those after them that complete a block of elements_at_once; returns
/// the end of the `count` elements. For memory that is written from front to back. Faster than
/// std::fill_n, which for a run-time count is a function call.
template <class T>
[[gnu::always_inline]] inline T* fill_ahead(T* out, std::ptrdiff_t count, T value) {
  for (std::ptrdiff_t i = 0; i < count; i += elements_at_once)
    std::fill_n(out + i, elements_at_once, value);
  return out + count;
}

/// Copies elements of `in` in the same way; it reads as many as it writes.
template <class T>
[[gnu::always_inline]] inline void copy_ahead(const T* in, std::ptrdiff_t count, T* out) {
  for (std::ptrdiff_t i = 0; i < count; i += elements_at_once)
    std::memcpy(out + i, in + i, elements_at_once * sizeof(T));
}

/// Copies an image [H,W,C] and pads it: [H + 2ph, W + 2pw, C].
template <class Dot, class In>
[[gnu::always_inline]] inline void copy_image(const conv2d_shape& s, const In* in,
                                              std::int32_t zero_point, typename Dot::element* out) {
  constexpr std::ptrdiff_t longest_ahead = 256;  // in longer rows, a call does not matter
  const auto border = static_cast<typename Dot::element>(zero_point + Dot::template offset<In>);
  const std::ptrdiff_t row = std::ptrdiff_t{s.in_w} * s.in_channels;
  const std::ptrdiff_t side = std::ptrdiff_t{s.padding_w} * s.in_channels;
  const std::ptrdiff_t above = s.padding_h * (row + 2 * side);
  constexpr auto slack = static_cast<std::ptrdiff_t>(copy_slack_bytes / sizeof(*out));
  out = std::fill_n(out, above, border);
  std::ptrdiff_t left = s.in_h * row;  // elements of the image from this row on
  for (int y = 0; y < s.in_h; ++y, in += row, left -= row) {
    out = fill_ahead(out, side, border);
    if constexpr (std::is_same_v<In, typename Dot::element>) {
      if (row <= longest_ahead && left >= row + elements_at_once) {
        copy_ahead(in, row, out);
      } else {
        copy_row(in, row, out);
      }
    } else {
      convert<Dot>(in, row, out);
    }
    out = fill_ahead(out + row, side, border);
  }
  std::fill_n(out, above + slack, border);
}

/// Copies the pixels of an image that a 1x1 convolution with a stride reads.
template <class T>
[[gnu::always_inline]] inline void gather_pixels(const conv2d_shape& s, const T* in, T* out) {
  const int out_h = s.out_h(), out_w = s.out_w();
  for (int y = 0; y < out_h; ++y) {
    const T* pixel = in + std::ptrdiff_t{y} * s.stride_h * s.in_w * s.in_channels;
    for (int x = 0; x < out_w; ++x, pixel += std::ptrdiff_t{s.stride_w} * s.in_channels) {
      out = std::copy_n(pixel, s.in_channels, out);
    }
  }
  std::fill_n(out, copy_slack_bytes / sizeof(T), T{});
}

/// The image that a core reads: `in` itself or, if necessary, a copy of it in the workspace.
template <class Model, method By, class Shape, class In>
[[nodiscard, gnu::always_inline]] inline auto input_of(const Shape& shape, const In* in,
                                                       std::int32_t in_zero_point,
                                                       std::byte* workspace) {
  using element = typename elements_of<Model, By, In>::element;
  const auto* image = reinterpret_cast<const element*>(in);
  constexpr auto copy_of = [](const auto& x) { return input_copy_of<Model, By, In>(x); };
  if (const input_copy copy = evaluated(shape, copy_of); copy.needed) {
    auto* const copied = reinterpret_cast<element*>(workspace);
    const bool plain = !copy.gathered && !copy.bands.any();
    if (plain) copy_image<elements_of<Model, By, In>>(shape, in, in_zero_point, copied);
    if constexpr (By == method::tiles) {
      if (copy.gathered) {
        gather_pixels(shape, image, copied);
      } else if (!plain) {
        copy_in_bands(shape, copy.bands, in, in_zero_point, copied);
      }
    }
    image = copied;
  }
  return image;
}

}  // namespace ctq::kernels::simd
