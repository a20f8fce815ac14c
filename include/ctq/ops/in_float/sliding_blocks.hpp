// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// nn.Unfold, which copies the blocks under a sliding window to columns, and nn.Fold, which sums
// such blocks to an image. PyTorch's backends leave both in float.

namespace ctq {

struct unfold_options {
  extent2d kernel_size{};
  extent2d dilation = 1;
  extent2d padding{};
  extent2d stride = 1;
};

struct fold_options {
  extent2d output_size{};
  extent2d kernel_size{};
  extent2d dilation = 1;
  extent2d padding{};
  extent2d stride = 1;
};

}  // namespace ctq

// clang-format off
#define CTQ_SLIDING_BLOCKS(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, unfold, "Unfold", unfold_options, unfold) \
  CTQ_MODULE_AND_FUNCTION(OP, fold, "Fold", fold_options, fold)
// clang-format on

CTQ_SLIDING_BLOCKS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The positions of a window on an image, along both axes.
template <class Options>
constexpr extent2d window_positions(int height, int width, const Options& o) {
  const auto along_axis = [&](int extent, int axis) {
    return shape_rules::windows(extent, along(o.kernel_size, axis), along(o.stride, axis),
                                along(o.padding, axis), along(o.dilation, axis), false);
  };
  return {along_axis(height, 1), along_axis(width, 0)};
}

namespace functions {

/// Calls f(pixel, element) for the elements of all blocks whose pixels are inside the image: their
/// indices in images and in columns.
template <class Options, class F>
void for_each_of_blocks(std::size_t images_and_channels, int height, int width, const Options& o,
                        F f) noexcept {
  const extent2d positions = window_positions(height, width, o);
  std::size_t element = 0;
  for (std::size_t plane = 0; plane < images_and_channels; ++plane)
    for (int i = 0; i < o.kernel_size.h; ++i)
      for (int k = 0; k < o.kernel_size.w; ++k)
        for (int row = 0; row < positions.h; ++row)
          for (int column = 0; column < positions.w; ++column, ++element) {
            const int y = row * o.stride.h - o.padding.h + i * o.dilation.h;
            const int x = column * o.stride.w - o.padding.w + k * o.dilation.w;
            if (y < 0 || y >= height || x < 0 || x >= width) continue;
            const auto in_plane = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                  static_cast<std::size_t>(x);
            f(plane * static_cast<std::size_t>(height) * static_cast<std::size_t>(width) + in_plane,
              element);
          }
}

template <class Isa>
[[gnu::noinline]] void unfold(const op_arguments<float>& x, const attributes& a) noexcept {
  const shape& in = x.in[0].shape;
  const int height = in[in.rank - 2], width = in[in.rank - 1];
  const std::size_t pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  for (float& out : x.out) out = 0.0F;
  for_each_of_blocks(
      pixels == 0 ? 0 : x.in[0].size() / pixels, height, width, a.as<unfold_options>(),
      [&](std::size_t pixel, std::size_t element) { x.out[element] = x.in[0][pixel]; });
}

template <class Isa>
[[gnu::noinline]] void fold(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<fold_options>();
  const std::size_t pixels =
      static_cast<std::size_t>(o.output_size.h) * static_cast<std::size_t>(o.output_size.w);
  for (float& out : x.out) out = 0.0F;
  for_each_of_blocks(
      x.out.size() / pixels, o.output_size.h, o.output_size.w, o,
      [&](std::size_t pixel, std::size_t element) { x.out[pixel] += x.in[0][element]; });
}

}  // namespace functions

/// (N, C, H, W) becomes (N, C * kernel, positions); N may be missing.
constexpr shape unfold_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  const shape& x = in[0];
  if (x.rank != 3 && x.rank != 4)
    return shape_rules::wrong_input(d, x, "requires an input of 3 or 4 axes");
  const auto o = a.as<unfold_options>();
  const bool one = x.rank == 3;
  const shape images{one ? 1 : x[0], x[x.rank - 3], x[x.rank - 2], x[x.rank - 1]};
  if (!shape_rules::valid_window(d, images, o.kernel_size, o.stride, o.padding, o.dilation))
    return {};
  const extent2d positions = window_positions(images[2], images[3], o);
  if (!shape_rules::countable(images[1], o.kernel_size.h, o.kernel_size.w) ||
      !shape_rules::countable(positions.h, positions.w))
    return shape_rules::wrong_input(d, x, "kernel_size is too large");
  const int rows = images[1] * o.kernel_size.h * o.kernel_size.w;
  return one ? shape{rows, positions.h * positions.w}
             : shape{images[0], rows, positions.h * positions.w};
}

/// The inverse of unfold's.
constexpr shape fold_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  const shape& x = in[0];
  if (x.rank != 2 && x.rank != 3)
    return shape_rules::wrong_input(d, x, "requires an input of 2 or 3 axes");
  const auto o = a.as<fold_options>();
  if (o.output_size.h < 1 || o.output_size.w < 1)
    return shape_rules::wrong_input(d, x, "output_size is ", o.output_size.h, "x", o.output_size.w);
  const int rows = x[x.rank - 2], columns = x[x.rank - 1];
  const shape image{1, 1, o.output_size.h, o.output_size.w};
  if (!shape_rules::valid_window(d, image, o.kernel_size, o.stride, o.padding, o.dilation) ||
      !shape_rules::countable_elements(d, image, "the output"))
    return {};
  const extent2d positions = window_positions(image[2], image[3], o);
  if (!shape_rules::countable(o.kernel_size.h, o.kernel_size.w) ||
      rows % (o.kernel_size.h * o.kernel_size.w) != 0)
    return shape_rules::wrong_input(d, x, "kernel_size does not divide its rows");
  if (!shape_rules::countable(positions.h, positions.w) || columns != positions.h * positions.w)
    return shape_rules::wrong_input(d, x, "output_size has ", positions.h, "x", positions.w,
                                    "\nplaces of the window");
  const int channels = rows / (o.kernel_size.h * o.kernel_size.w);
  return x.rank == 2 ? shape{channels, image[2], image[3]}
                     : shape{x[0], channels, image[2], image[3]};
}

inline constexpr op_descriptor unfold =
    of_tensor(&unfold_shape_rule, &functions::unfold<isa::native>);
inline constexpr op_descriptor fold = of_tensor(&fold_shape_rule, &functions::fold<isa::native>);

}  // namespace ctq::descriptors

CTQ_SLIDING_BLOCKS(CTQ_DESCRIBE_OP)
