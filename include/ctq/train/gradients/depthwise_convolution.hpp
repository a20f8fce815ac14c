// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/train/gradients/convolution_geometry.hpp"

// Depthwise convolutions and their gradients. They have loops of their own, since products with the
// columns of im2col would have one row.

namespace ctq::training::depthwise {

/// Calls visit(output channel, first output pixel, first input pixel) for each plane of the output.
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

/// Adds the products of in and weight to out, as convolve.
template <class Real>
void add_products(const convolution_geometry& g, const Real* in, const Real* weight, Real* out) {
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
}

/// As add_convolution_gradient.
template <class Real>
void add_gradient(const convolution_geometry& g, const Real* in, const Real* weight,
                  const Real* grad_out, Real* grad_in, Real* grad_weight) {
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
}

}  // namespace ctq::training::depthwise
