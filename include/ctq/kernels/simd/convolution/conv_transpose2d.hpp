// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/conv2d_form.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/transposed_phases.hpp"

// Transposed convolution: the phases of transposed_phases.hpp, each by the kernels of convolutions.
// They read the image with a common border, and write to memory from which their pixels are copied
// to their places.

namespace ctq::kernels::simd {

/// The workspace of a kernel: the padded image, the outputs of a phase for images_together images,
/// and the workspace of the convolutions, each aligned to 64.
struct conv_transpose2d_workspace {
  std::size_t image{};  // bytes
  std::size_t outputs{};
  std::size_t convolution{};

  [[nodiscard]] constexpr std::size_t bytes() const { return image + outputs + convolution; }
};

/// bytes_of(conv2d_shape): the workspace of the convolution of a phase
template <class Bytes>
[[nodiscard]] constexpr conv_transpose2d_workspace conv_transpose2d_workspace_of(
    const transposed_phases& p, std::size_t in_bytes, std::size_t out_bytes, Bytes bytes_of) {
  conv_transpose2d_workspace w;
  const auto channels = [](int n) { return static_cast<std::size_t>(n); };
  if (p.pads()) {
    // One more row, which is read after the last one if a phase starts to the right of the first
    // column.
    const auto pixels = static_cast<std::size_t>(p.padded_h() + 1) * channels(p.padded_w());
    w.image = packing::padded(pixels * channels(p.shape.in_channels) * in_bytes);
  }
  for (int i = 0; i < p.count(); ++i) {
    const conv2d_shape s = p.convolution(i);
    const auto pixels =
        has_taps(s) ? channels(s.batch) * channels(s.out_h()) * channels(s.out_w()) : 1;
    w.outputs =
        std::max(w.outputs, packing::padded(pixels * channels(p.shape.out_channels) * out_bytes));
    if (has_taps(s)) w.convolution = std::max(w.convolution, packing::padded(bytes_of(s)));
  }
  return w;
}

/// Copies an image [H,W,C] to [padded_h + 1, padded_w, C], each row after its border.
template <class T>
void copy_with_border(const transposed_phases& p, const T* in, T border, T* out) {
  const std::ptrdiff_t channels = p.shape.in_channels;
  const std::ptrdiff_t row = p.shape.in_w * channels, padded_row = p.padded_w() * channels;
  out = std::fill_n(out, p.h.before * padded_row, border);
  for (int y = 0; y < p.shape.in_h; ++y, in += row)
    out = std::copy_n(in, row, std::fill_n(out, padded_row - row, border));
  std::fill_n(out, (p.h.after + 1) * padded_row, border);
}

/// Copies the pixels of a phase to their places in the output.
///   row   pixels of a row of `from`
template <class T>
void place_pixels(const transposed_phases& p, int phase, const T* from, int row, T* out) {
  const conv_transpose2d_shape& s = p.shape;
  const transposed_phase y = p.row(phase);
  const transposed_phase x = p.column(phase);
  const std::ptrdiff_t channels = s.out_channels;
  const auto place = [&](auto copy) __attribute__((always_inline)) {
    const std::ptrdiff_t step = s.stride_w * channels;
    for (int j = 0; j < y.out_count; ++j) {
      const T* pixel = from + std::ptrdiff_t{j} * row * channels;
      T* to =
          out + (std::ptrdiff_t{y.out_first + j * s.stride_h} * s.out_w() + x.out_first) * channels;
      for (int i = 0; i < x.out_count; ++i, pixel += channels, to += step) copy(pixel, to);
    }
  };
  // A call of memcpy takes as long as the copies of four registers.
  const auto in_parts_of = [&](auto bytes) {
    place([&](const T* pixel, T* to) __attribute__((always_inline)) {
      constexpr std::ptrdiff_t part = bytes / sizeof(T);
      for (std::ptrdiff_t i = 0; i < channels; i += part) std::memcpy(to + i, pixel + i, bytes);
    });
  };
  const std::size_t bytes = static_cast<std::size_t>(channels) * sizeof(T);
  if (bytes % 64 == 0) return in_parts_of(std::integral_constant<std::size_t, 64>{});
  if (bytes % 32 == 0) return in_parts_of(std::integral_constant<std::size_t, 32>{});
  if (bytes % 16 == 0) return in_parts_of(std::integral_constant<std::size_t, 16>{});
  place([&](const T* pixel, T* to)
            __attribute__((always_inline)) { std::memcpy(to, pixel, bytes); });
}

/// Writes one pixel to all places of a phase that reads nothing.
template <class T>
void repeat_pixel(const transposed_phases& p, int phase, const T* pixel, T* out) {
  const conv_transpose2d_shape& s = p.shape;
  const transposed_phase y = p.row(phase);
  const transposed_phase x = p.column(phase);
  for (int j = 0; j < y.out_count; ++j)
    for (int i = 0; i < x.out_count; ++i)
      std::memcpy(out + (std::ptrdiff_t{y.out_first + j * s.stride_h} * s.out_w() + x.out_first +
                         i * s.stride_w) *
                            s.out_channels,
                  pixel, static_cast<std::size_t>(s.out_channels) * sizeof(T));
}

template <class Phases, auto Shape>
inline constexpr Phases phases_of_constant{Shape};

/// The phases of a shape; for a constant shape, a reference to a constant.
///   Phases  transposed_phases or transposed_planes
template <class Phases, class Shape>
[[nodiscard, gnu::always_inline]] constexpr decltype(auto) phases_of(const Shape& shape) {
  if constexpr (constant_shape<Shape>) {
    return (phases_of_constant<Phases, Shape::value>);
  } else {
    return Phases(shape);
  }
}

/// Calls f(index) for each phase; for a constant shape, f(integral_constant).
///   Phases  transposed_phases or transposed_planes
template <class Phases, class Shape, class F>
[[gnu::always_inline]] inline void for_each_phase(const Shape& shape, const F& f) {
  if constexpr (constant_shape<Shape>) {
    constexpr int count = phases_of_constant<Phases, Shape::value>.count();
    [&]<int... Phase>(std::integer_sequence<int, Phase...>) {
      (f(std::integral_constant<int, Phase>{}), ...);
    }
    (std::make_integer_sequence<int, count>{});
  } else {
    const int count = Phases(shape).count();
    for (int phase = 0; phase < count; ++phase) f(phase);
  }
}

/// The convolution of a phase that reads In; for a constant shape with its form.
template <class Isa, class In, class Shape, class Phase>
[[nodiscard]] constexpr auto convolution_of_phase(const Shape& shape, Phase phase) {
  if constexpr (constant_shape<Shape>) {
    constexpr conv2d_shape s =
        phases_of_constant<transposed_phases, Shape::value>.convolution(Phase::value);
    if constexpr (has_taps(s)) {
      return formed_shape_of<Isa, In, s>();
    } else {
      return s;
    }
  } else {
    return transposed_phases(shape).convolution(phase);
  }
}

/// Computes a transposed convolution by convolve(phase, at, images, out, workspace), which computes
/// one phase of images_together images with the weights at `at` and returns the bytes of these
/// weights, and pixel_of(out), which computes the pixel of a phase that reads nothing.
///   out_step  elements from one image of outputs to the next
///
/// Shapes    in [N,H,W,C] · out [N,H',W',O]
/// Requires  the operands do not overlap · workspace of conv_transpose2d_workspace_of, aligned to
/// 64
template <class Shape, class In, class Out, class Convolve, class Pixel>
[[gnu::always_inline]] inline void conv_transpose2d(const Shape& shape, const In* in, In border,
                                                    Out* out, std::ptrdiff_t out_step,
                                                    std::byte* workspace,
                                                    const conv_transpose2d_workspace& parts,
                                                    const Convolve& convolve,
                                                    const Pixel& pixel_of) {
  const transposed_phases& p = phases_of<transposed_phases>(shape);
  const conv_transpose2d_shape& s = p.shape;
  auto* const copied = reinterpret_cast<In*>(workspace);
  auto* const outputs = reinterpret_cast<Out*>(workspace + parts.image);
  std::byte* const rest = workspace + parts.image + parts.outputs;
  const int together = p.images_together;
  const std::ptrdiff_t out_image = std::ptrdiff_t{s.out_h()} * s.out_w() * s.out_channels;
  for (int n = 0; n < s.batch; n += together) {
    const In* image = in;
    std::size_t at = 0;
    if (p.pads()) {
      copy_with_border(p, in, border, copied);
      image = copied;
    }
    for_each_phase<transposed_phases>(shape, [&](auto phase) {
      const conv2d_shape c = p.convolution(phase);
      if (!has_taps(c)) {
        pixel_of(outputs);
        for (int i = 0; i < together; ++i) repeat_pixel(p, phase, outputs, out + i * out_step);
        return;
      }
      const In* const from = image + std::ptrdiff_t{p.first_pixel(phase)} * s.in_channels;
      const bool in_place = s.stride_h == 1 && s.stride_w == 1 && c.out_w() == s.out_w() &&
                            (together == 1 || out_step == out_image);
      at += convolve(phase, at, from, in_place ? out : outputs, rest);
      if (in_place) return;
      const std::ptrdiff_t image_of_phase = std::ptrdiff_t{c.out_h()} * c.out_w() * s.out_channels;
      for (int i = 0; i < together; ++i)
        place_pixels(p, phase, outputs + i * image_of_phase, c.out_w(), out + i * out_step);
    });
    in += std::ptrdiff_t{together} * s.in_h * s.in_w * s.in_channels;
    out += together * out_step;
  }
}

}  // namespace ctq::kernels::simd
