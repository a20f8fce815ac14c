// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ctq/core/op_functions.hpp"
#include "ctq/ops/convolutions.hpp"
#include "ctq/train/matrix_product.hpp"

// Convolutions and their gradients: products of the weight with the columns of im2col, a few images
// at a time; a depthwise one has its own loops, since its products have one row.

namespace ctq::training {

/// A convolution along two axes: where each tap of the kernel reads.
struct convolution_geometry {
  conv2d_options options{};
  shape in{}, out{};  // N, C, H, W

  [[nodiscard]] std::size_t groups() const { return static_cast<std::size_t>(options.groups); }
  /// Per group.
  [[nodiscard]] std::size_t inputs() const { return extent(in, 1) / groups(); }
  [[nodiscard]] std::size_t outputs() const { return extent(out, 1) / groups(); }
  [[nodiscard]] std::size_t in_pixels() const { return extent(in, 2) * extent(in, 3); }
  [[nodiscard]] std::size_t out_pixels() const { return extent(out, 2) * extent(out, 3); }
  [[nodiscard]] std::size_t taps() const {
    return static_cast<std::size_t>(options.kernel_size.h) *
           static_cast<std::size_t>(options.kernel_size.w);
  }
  [[nodiscard]] bool is_depthwise() const { return inputs() == 1 && groups() > 1; }
  /// Each output pixel reads the input pixel of the same place alone.
  [[nodiscard]] bool is_pointwise() const {
    return taps() == 1 && options.stride == extent2d{1} && options.padding == extent2d{0};
  }

  static std::size_t extent(const shape& s, int axis) { return static_cast<std::size_t>(s[axis]); }

  /// Calls visit(first output pixel, first input pixel, count) for each row of a tap; the input
  /// pixels are stride.w apart, those outside of the image are left out.
  template <class Visit>
  void for_each_row(std::size_t tap, Visit visit) const {
    const conv2d_options& o = options;
    const int ky = static_cast<int>(tap) / o.kernel_size.w;
    const int kx = static_cast<int>(tap) % o.kernel_size.w;
    const int y0 = ky * o.dilation.h - o.padding.h, x0 = kx * o.dilation.w - o.padding.w;
    const int first = x0 < 0 ? (-x0 + o.stride.w - 1) / o.stride.w : 0;
    const int last = std::min(out[3], x0 > in[3] - 1 ? 0 : (in[3] - 1 - x0) / o.stride.w + 1);
    if (first >= last) return;
    for (int y = 0; y < out[2]; ++y) {
      const int from = y * o.stride.h + y0;
      if (from < 0 || from >= in[2]) continue;
      visit(static_cast<std::size_t>(y * out[3] + first),
            static_cast<std::size_t>(from * in[3] + first * o.stride.w + x0),
            static_cast<std::size_t>(last - first));
    }
  }
};

/// Reused between calls, so that nothing is allocated in later ones.
template <class Real>
struct convolution_workspace {
  std::vector<Real> columns, products, gathered;
};

namespace convolving_batches {

/// How many images make products with long rows.
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

/// Calls visit(output channel) with the planes of a depthwise convolution.
template <class Visit>
void for_each_plane(const convolution_geometry& g, Visit visit) {
  const std::size_t channels = convolution_geometry::extent(g.out, 1);
  for (std::size_t n = 0; n < convolution_geometry::extent(g.out, 0); ++n)
    for (std::size_t c = 0; c < channels; ++c)
      visit(c, (n * channels + c) * g.out_pixels(),
            (n * g.groups() + c / g.outputs()) * g.in_pixels());
}

/// Calls visit(output pixel, tap, input pixel) for all pairs: faster than rows if they are short.
template <class Visit>
void for_each_product(const convolution_geometry& g, Visit visit) {
  const conv2d_options& o = g.options;
  for (int y = 0; y < g.out[2]; ++y)
    for (int x = 0; x < g.out[3]; ++x)
      for (int ky = 0; ky < o.kernel_size.h; ++ky) {
        const int row = y * o.stride.h - o.padding.h + ky * o.dilation.h;
        if (row < 0 || row >= g.in[2]) continue;
        for (int kx = 0; kx < o.kernel_size.w; ++kx) {
          const int column = x * o.stride.w - o.padding.w + kx * o.dilation.w;
          if (column < 0 || column >= g.in[3]) continue;
          visit(static_cast<std::size_t>(y * g.out[3] + x),
                static_cast<std::size_t>(ky * o.kernel_size.w + kx),
                static_cast<std::size_t>(row * g.in[3] + column));
        }
      }
}
[[nodiscard]] inline bool has_short_rows(const convolution_geometry& g) { return g.out[3] < 16; }

/// The columns of some images in one group.
template <class Real>
struct image_block {
  matrix_ref<const Real> columns;
  std::size_t width{};  // of the columns: all pixels, then zeros up to whole registers
  std::size_t images{}, image{}, group{};  // how many, the first one
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

}  // namespace convolving_batches

/// out[n, o, …] = bias[o] + Σ in * weight, as PyTorch's conv2d.
///
/// Shapes  in [N, C, H, W], out [N, O, …] of g · weight [O, C/groups, kh, kw] · bias [O] or null
template <class Isa, class Real>
void convolve(const convolution_geometry& g, const Real* in, const Real* weight, const Real* bias,
              Real* out, convolution_workspace<Real>& w) {
  using namespace convolving_batches;
  const std::size_t pixels = g.out_pixels(), channels = g.outputs() * g.groups();
  const std::size_t depth = g.inputs() * g.taps();
  for (std::size_t plane = 0; plane < convolution_geometry::extent(g.out, 0) * channels; ++plane)
    std::fill_n(out + plane * pixels, pixels, bias == nullptr ? Real{0} : bias[plane % channels]);
  if (g.is_depthwise()) {
    const auto stride = static_cast<std::size_t>(g.options.stride.w);
    for_each_plane(g, [&](std::size_t c, std::size_t to, std::size_t from) {
      if (has_short_rows(g)) {
        const Real* const taps = weight + c * g.taps();
        for_each_product(g, [&](std::size_t at, std::size_t tap, std::size_t read) {
          out[to + at] += taps[tap] * in[from + read];
        });
        return;
      }
      for (std::size_t tap = 0; tap < g.taps(); ++tap) {
        const Real factor = weight[c * g.taps() + tap];
        g.for_each_row(tap, [&](std::size_t at, std::size_t read, std::size_t count) {
          for (std::size_t x = 0; x < count; ++x)
            out[to + at + x] += factor * in[from + read + x * stride];
        });
      }
    });
    return;
  }
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
  using namespace convolving_batches;
  const std::size_t pixels = g.out_pixels(), channels = g.outputs() * g.groups();
  const std::size_t depth = g.inputs() * g.taps();
  if (g.is_depthwise()) {
    const auto stride = static_cast<std::size_t>(g.options.stride.w);
    for_each_plane(g, [&](std::size_t c, std::size_t to, std::size_t from) {
      if (has_short_rows(g)) {
        const Real* const taps = weight + c * g.taps();
        Real* const sums = grad_weight + c * g.taps();
        for_each_product(g, [&](std::size_t at, std::size_t tap, std::size_t read) {
          sums[tap] += grad_out[to + at] * in[from + read];
          if (grad_in != nullptr) grad_in[from + read] += taps[tap] * grad_out[to + at];
        });
        return;
      }
      for (std::size_t tap = 0; tap < g.taps(); ++tap) {
        const Real factor = weight[c * g.taps() + tap];
        Real sum{0};
        g.for_each_row(tap, [&](std::size_t at, std::size_t read, std::size_t count) {
          const Real* const gradient = grad_out + to + at;
          for (std::size_t x = 0; x < count; ++x) sum += gradient[x] * in[from + read + x * stride];
          if (grad_in == nullptr) return;
          for (std::size_t x = 0; x < count; ++x)
            grad_in[from + read + x * stride] += factor * gradient[x];
        });
        grad_weight[c * g.taps() + tap] += sum;
      }
    });
    return;
  }
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
