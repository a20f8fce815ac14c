// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ctq/train/gradients/convolution_geometry.hpp"
#include "ctq/train/gradients/depthwise_convolution.hpp"
#include "ctq/train/matrix_product.hpp"

// Convolutions and their gradients: products of the weight with the columns of im2col, a few images
// at a time.

namespace ctq::training {

/// Memory that calls reuse, so that later calls allocate nothing.
template <class Real>
struct convolution_workspace {
  std::vector<Real> columns, products, gathered;
};

namespace im2col {

/// How many images are needed for products with long rows.
[[nodiscard]] inline std::size_t images_at_once(const convolution_geometry& g) {
  constexpr std::size_t long_enough = 192;
  const std::size_t wanted = (long_enough + g.out_pixels() - 1) / g.out_pixels();
  return std::min(wanted, convolution_geometry::extent(g.in, 0));
}

/// A row for each input channel and tap, a column for each output pixel of the images.
template <class Real>
void to_columns(const convolution_geometry& g, const Real* in, std::size_t image_stride,
                std::size_t images, Real* columns, std::size_t row) {
  const auto stride = static_cast<std::size_t>(g.options.stride.w);
  std::fill(columns, columns + g.inputs() * g.taps() * row, Real{0});
  for (std::size_t c = 0; c < g.inputs(); ++c)
    for (std::size_t tap = 0; tap < g.taps(); ++tap, columns += row)
      for (std::size_t n = 0; n < images; ++n) {
        const Real* const plane = in + n * image_stride + c * g.in_pixels();
        Real* const to = columns + n * g.out_pixels();
        g.for_each_row(tap, [&](std::size_t at, std::size_t from, std::size_t count) {
          if (stride == 1)
            std::copy_n(plane + from, count, to + at);
          else
            for (std::size_t x = 0; x < count; ++x) to[at + x] = plane[from + x * stride];
        });
      }
}

/// The transpose of to_columns: adds each column to the pixels that it was made of.
template <class Real>
void add_columns_to_image(const convolution_geometry& g, const Real* columns, std::size_t row,
                          std::size_t images, Real* in, std::size_t image_stride) {
  const auto stride = static_cast<std::size_t>(g.options.stride.w);
  for (std::size_t c = 0; c < g.inputs(); ++c)
    for (std::size_t tap = 0; tap < g.taps(); ++tap, columns += row)
      for (std::size_t n = 0; n < images; ++n) {
        Real* const plane = in + n * image_stride + c * g.in_pixels();
        const Real* const from = columns + n * g.out_pixels();
        g.for_each_row(tap, [&](std::size_t at, std::size_t to, std::size_t count) {
          if (stride == 1)
            for (std::size_t x = 0; x < count; ++x) plane[to + x] += from[at + x];
          else
            for (std::size_t x = 0; x < count; ++x) plane[to + x * stride] += from[at + x];
        });
      }
}

/// The columns of some images in one group.
template <class Real>
struct image_block {
  matrix_ref<const Real> columns;
  std::size_t width{};  // of the columns: all pixels, then zeros up to whole registers
  std::size_t images{}, image{}, group{};  // how many images, and the first one
};

/// Calls visit(image_block) for all images and groups.
///   lane  how many elements a register has
template <class Real, class Visit>
void for_each_block(const convolution_geometry& g, const Real* in, std::size_t lane,
                    convolution_workspace<Real>& w, Visit visit) {
  const std::size_t batch = convolution_geometry::extent(g.in, 0);
  const std::size_t step = images_at_once(g);
  const std::size_t image = convolution_geometry::extent(g.in, 1) * g.in_pixels();
  const std::size_t row = spread_row<Real>(step * g.out_pixels());
  w.columns.resize(g.inputs() * g.taps() * row);
  for (std::size_t n = 0; n < batch; n += step) {
    const std::size_t images = std::min(step, batch - n);
    const std::size_t width = (images * g.out_pixels() + lane - 1) / lane * lane;
    for (std::size_t group = 0; group < g.groups(); ++group) {
      const Real* const first = in + n * image + group * g.inputs() * g.in_pixels();
      if (g.is_pointwise() && width == g.in_pixels()) {
        visit(image_block<Real>{{first, width}, width, images, n, group});
        continue;
      }
      to_columns(g, first, image, images, w.columns.data(), row);
      visit(image_block<Real>{{w.columns.data(), row}, width, images, n, group});
    }
  }
}

}  // namespace im2col

/// out[n, o, …] = bias[o] + Σ in * weight, as PyTorch's conv2d.
///
/// Shapes  in [N, C, H, W], out [N, O, …] of g · weight [O, C/groups, kh, kw] · bias [O] or null
template <class Isa, class Real>
void convolve(const convolution_geometry& g, const Real* in, const Real* weight, const Real* bias,
              Real* out, convolution_workspace<Real>& w) {
  using namespace im2col;
  const std::size_t pixels = g.out_pixels(), channels = g.outputs() * g.groups();
  const std::size_t depth = g.inputs() * g.taps();
  for (std::size_t plane = 0; plane < convolution_geometry::extent(g.out, 0) * channels; ++plane)
    std::fill_n(out + plane * pixels, pixels, bias == nullptr ? Real{0} : bias[plane % channels]);
  if (g.is_depthwise()) return depthwise::add_products(g, in, weight, out);
  constexpr std::size_t lane = lanes<Isa, Real>::count;
  for_each_block(g, in, lane, w, [&](const image_block<Real>& block) {
    Real* const first = out + (block.image * channels + block.group * g.outputs()) * pixels;
    const Real* const left = weight + block.group * g.outputs() * depth;
    if (block.width == pixels) {
      add_product<Isa, Real>(g.outputs(), pixels, depth, {left, depth}, block.columns,
                             {first, pixels});
      return;
    }
    w.products.assign(g.outputs() * block.width, Real{0});
    add_product<Isa, Real>(g.outputs(), block.width, depth, {left, depth}, block.columns,
                           {w.products.data(), block.width});
    for (std::size_t i = 0; i < block.images; ++i)
      for (std::size_t o = 0; o < g.outputs(); ++o)
        for (std::size_t p = 0; p < pixels; ++p)
          first[(i * channels + o) * pixels + p] += w.products[o * block.width + i * pixels + p];
  });
}

/// Adds the gradients with respect to weight, and to in unless grad_in is null, given that of out.
/// (That with respect to the bias is the sum of each channel of grad_out.)
template <class Isa, class Real>
void add_convolution_gradient(const convolution_geometry& g, const Real* in, const Real* weight,
                              const Real* grad_out, Real* grad_in, Real* grad_weight,
                              convolution_workspace<Real>& w) {
  using namespace im2col;
  const std::size_t pixels = g.out_pixels(), channels = g.outputs() * g.groups();
  const std::size_t depth = g.inputs() * g.taps();
  if (g.is_depthwise())
    return depthwise::add_gradient(g, in, weight, grad_out, grad_in, grad_weight);
  constexpr std::size_t lane = lanes<Isa, Real>::count;
  const std::size_t image = convolution_geometry::extent(g.in, 1) * g.in_pixels();
  for_each_block(g, in, lane, w, [&](const image_block<Real>& block) {
    const std::size_t outputs = g.outputs(), width = block.width;
    const Real* const first = grad_out + (block.image * channels + block.group * outputs) * pixels;
    matrix_ref<const Real> right{first, pixels};
    if (width != pixels) {
      w.gathered.assign(outputs * width, Real{0});
      for (std::size_t i = 0; i < block.images; ++i)
        for (std::size_t o = 0; o < outputs; ++o)
          std::copy_n(first + (i * channels + o) * pixels, pixels,
                      w.gathered.data() + o * width + i * pixels);
      right = {w.gathered.data(), width};
    }
    const std::size_t group = block.group * outputs * depth;
    add_product_of_rows<Isa, Real>(outputs, depth, width, right, block.columns,
                                   {grad_weight + group, depth});
    if (grad_in == nullptr) return;
    Real* const to = grad_in + block.image * image + block.group * g.inputs() * g.in_pixels();
    // The weight transposed.
    const matrix_ref<const Real> left{weight + group, 1, depth};
    if (g.is_pointwise() && width == pixels) {
      add_product<Isa, Real>(depth, width, outputs, left, right, {to, width});
      return;
    }
    const std::size_t row = spread_row<Real>(width);
    w.products.assign(depth * row, Real{0});
    add_product<Isa, Real>(depth, width, outputs, left, right, {w.products.data(), row});
    add_columns_to_image(g, w.products.data(), row, block.images, to, image);
  });
}

}  // namespace ctq::training
