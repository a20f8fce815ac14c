// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"

// Images sampled at the points of a grid, and grids of affine maps, as in spatial transformers.
// PyTorch's backends leave both in float.

namespace ctq {

enum class sampling_mode : int { bilinear, nearest };
inline constexpr std::string_view sampling_mode_names[] = {"bilinear", "nearest"};
inline constexpr option_words_of sampling_mode_words{"sampling_mode", {sampling_mode_names, 2}};

/// The values outside the image.
enum class sampling_padding : int { zeros, border };
inline constexpr std::string_view sampling_padding_names[] = {"zeros", "border"};
inline constexpr option_words_of sampling_padding_words{"sampling_padding",
                                                        {sampling_padding_names, 2}};

struct grid_sample_options {
  sampling_mode mode = sampling_mode::bilinear;
  sampling_padding padding_mode = sampling_padding::zeros;
  flag align_corners = false;  // -1 and 1 are the centers of the outer pixels, not their borders
};

struct affine_grid_options {
  ctq::shape size{};  // N, C, H and W of the images that are sampled
  flag align_corners = false;
};

}  // namespace ctq

// clang-format off
#define CTQ_GRID_SAMPLING(OP) \
  OP(fn, binary_op, grid_sample, "torch.nn.functional.grid_sample", grid_sample_options, grid_sample) \
  OP(fn, function_op, affine_grid, "torch.nn.functional.affine_grid", affine_grid_options, affine_grid)
// clang-format on

CTQ_GRID_SAMPLING(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// A plane of an image, which is 0 outside.
struct sampled_plane {
  const float* data;
  std::size_t height, width;

  /// The pixel at these coordinates, which are whole numbers.
  [[nodiscard]] float operator()(float y, float x) const noexcept {
    const bool is_inside =
        y >= 0.0F && y < static_cast<float>(height) && x >= 0.0F && x < static_cast<float>(width);
    return is_inside ? data[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)]
                     : 0.0F;
  }

  /// The four nearest pixels, weighted by their distances.
  [[nodiscard]] float between(float y, float x) const noexcept {
    const float top = __builtin_floorf(y), left = __builtin_floorf(x);
    const float down = y - top, up = 1.0F - down, right = x - left, back = 1.0F - right;
    const float nw = no_contract((*this)(top, left) * (up * back));
    const float ne = no_contract((*this)(top, left + 1.0F) * (up * right));
    const float sw = no_contract((*this)(top + 1.0F, left) * (down * back));
    const float se = no_contract((*this)(top + 1.0F, left + 1.0F) * (down * right));
    return nw + ne + sw + se;
  }
};

/// Converts a coordinate from -1 to 1 to pixels along an axis.
inline float pixel_of(float at, std::size_t extent, const grid_sample_options& o) noexcept {
  const auto size = static_cast<float>(extent);
  const float pixel = o.align_corners ? (at + 1.0F) / 2.0F * (size - 1.0F)
                                      : (no_contract((at + 1.0F) * size) - 1.0F) / 2.0F;
  if (o.padding_mode == sampling_padding::zeros) return pixel;
  return pixel > size - 1.0F ? size - 1.0F : pixel > 0.0F ? pixel : 0.0F;
}

template <class Isa>
[[gnu::noinline]] void grid_sample(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<grid_sample_options>();
  const shape& in = x.in[0].shape;
  const auto size = [](const shape& s, int axis) { return static_cast<std::size_t>(s[axis]); };
  const std::size_t channels = size(in, 1), height = size(in, 2), width = size(in, 3);
  const std::size_t points = size(x.out.shape, 2) * size(x.out.shape, 3);
  for (std::size_t n = 0; n < size(in, 0); ++n)
    for (std::size_t p = 0; p < points; ++p) {
      const float* const at = x.in[1].data + 2 * (n * points + p);
      const float column = pixel_of(at[0], width, o), row = pixel_of(at[1], height, o);
      for (std::size_t c = 0; c < channels; ++c) {
        const std::size_t plane = n * channels + c;
        const sampled_plane image{x.in[0].data + plane * height * width, height, width};
        x.out[plane * points + p] = o.mode == sampling_mode::nearest
                                        ? image(__builtin_rintf(row), __builtin_rintf(column))
                                        : image.between(row, column);
      }
    }
}

/// The center of a pixel as a coordinate from -1 to 1.
inline float center_of(int pixel, int extent, bool align_corners) noexcept {
  if (extent < 2) return 0.0F;
  const auto size = static_cast<float>(extent), last = size - 1.0F;
  const float center = static_cast<float>(2 * pixel - (extent - 1)) / last;
  return align_corners ? center : center * last / size;
}

template <class Isa>
[[gnu::noinline]] void affine_grid(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<affine_grid_options>();
  float* out = x.out.data;
  for (int n = 0; n < o.size[0]; ++n) {
    const float* const map = x.in[0].data + 6 * static_cast<std::size_t>(n);
    for (int row = 0; row < o.size[2]; ++row)
      for (int column = 0; column < o.size[3]; ++column) {
        const float at_x = center_of(column, o.size[3], o.align_corners);
        const float at_y = center_of(row, o.size[2], o.align_corners);
        for (int k = 0; k < 2; ++k)
          *out++ =
              no_contract(map[3 * k] * at_x) + no_contract(map[3 * k + 1] * at_y) + map[3 * k + 2];
      }
  }
}

}  // namespace functions

/// (N, C, H, W) at points (N, Y, X, 2), which are pairs of x and y.
constexpr shape grid_sample_rule(ctq::view<shape> in, attributes&, diagnostic& d) {
  if (!shape_rules::needs(d, in, 2, 4)) return {};
  const shape& grid = in[1];
  if (grid.rank != 4 || grid[0] != in[0][0] || grid[3] != 2)
    return shape_rules::wrong_input(d, grid, "requires a grid of ", in[0][0],
                                    " images of pairs,\n[N, Y, X, 2]");
  return {in[0][0], in[0][1], grid[1], grid[2]};
}

/// A matrix (N, 2, 3) for each image.
constexpr shape affine_grid_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 3)) return {};
  const shape size = a.as<affine_grid_options>().size;
  bool is_image = size.rank == 4;
  for (int axis = 0; axis < size.rank && is_image; ++axis) is_image = size[axis] >= 1;
  if (!is_image) return shape_rules::wrong_input(d, in[0], "size is not [N, C, H, W]");
  if (in[0] != shape{size[0], 2, 3})
    return shape_rules::wrong_input(d, in[0], "requires theta of [", size[0], ", 2, 3]");
  return {size[0], size[2], size[3], 2};
}

inline constexpr op_descriptor grid_sample =
    of_two_tensors(&grid_sample_rule, &functions::grid_sample<isa::native>);
inline constexpr op_descriptor affine_grid =
    of_tensor(&affine_grid_rule, &functions::affine_grid<isa::native>);

}  // namespace ctq::descriptors

CTQ_GRID_SAMPLING(CTQ_DESCRIBE_OP)
