// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ctq/core/shape.hpp"
#include "ctq/ops/pools.hpp"

// Pools along the last two axes and their gradients, plane by plane.

namespace ctq::training {

namespace pooling {

/// The part of one axis that an output element is computed from.
struct range {
  int begin{}, end{};
};

/// The taps of the window at `at` that lie inside of the image.
inline range taps(int at, int kernel, int stride, int padding, int dilation, int extent) {
  const int before = padding - at * stride, after = extent + before;
  const int begin = before <= 0 ? 0 : (before + dilation - 1) / dilation;
  const int end = after <= 0 ? 0 : (after - 1) / dilation + 1;
  return {begin, end < kernel ? end : kernel};
}

inline std::size_t planes(const shape& s) {
  return static_cast<std::size_t>(s[0]) * static_cast<std::size_t>(s[1]);
}
inline std::size_t pixels(const shape& s) {
  return static_cast<std::size_t>(s[2]) * static_cast<std::size_t>(s[3]);
}

/// What one element of an average pool is computed from: the part of its window inside the image,
/// and how many elements the sum is divided by.
struct averaged_window {
  range rows{}, columns{};
  int divisor{};

  [[nodiscard]] int pixels() const {
    return (rows.end - rows.begin) * (columns.end - columns.begin);
  }
  /// Calls visit(pixel) for each pixel of a plane of this width.
  template <class Visit>
  void for_each_pixel(int width, Visit visit) const {
    for (int y = rows.begin; y < rows.end; ++y)
      for (int x = columns.begin; x < columns.end; ++x)
        visit(static_cast<std::size_t>(y * width + x));
  }
};

/// Along one axis: the window with the padding that counts.
inline range padded(int at, int kernel, int stride, int padding, int extent) {
  const int begin = at * stride - padding;
  return {begin, std::min(begin + kernel, extent + padding)};
}
inline range clipped(const range& r, int extent) {
  return {std::max(r.begin, 0), std::min(r.end, extent)};
}
inline averaged_window window_at(const avg_pool2d_options& o, const shape& in, const shape&, int y,
                                 int x) {
  const range rows = padded(y, o.kernel_size.h, o.stride.h, o.padding.h, in[2]);
  const range columns = padded(x, o.kernel_size.w, o.stride.w, o.padding.w, in[3]);
  averaged_window w{clipped(rows, in[2]), clipped(columns, in[3])};
  w.divisor = o.count_include_pad ? averaged_window{rows, columns}.pixels() : w.pixels();
  if (o.divisor_override > 0) w.divisor = o.divisor_override;
  return w;
}

/// Adaptive: element i of `out` averages from floor(i * in / out) to ceil((i + 1) * in / out).
inline range adaptive(int i, int in, int out) {
  return {static_cast<int>(std::int64_t{i} * in / out),
          static_cast<int>((std::int64_t{i + 1} * in + out - 1) / out)};
}
inline averaged_window window_at(const adaptive_avg_pool2d_options&, const shape& in,
                                 const shape& out, int y, int x) {
  averaged_window w{adaptive(y, in[2], out[2]), adaptive(x, in[3], out[3])};
  w.divisor = w.pixels();
  return w;
}

/// Calls visit(first input element of the plane, output element, window) for each output element.
template <class Options, class Visit>
void for_each_average(const Options& o, const shape& in, const shape& out, Visit visit) {
  std::size_t at = 0;
  for (std::size_t plane = 0; plane < planes(in); ++plane)
    for (int y = 0; y < out[2]; ++y)
      for (int x = 0; x < out[3]; ++x) visit(plane * pixels(in), at++, window_at(o, in, out, y, x));
}

}  // namespace pooling

/// Also stores for each output element which input element it is: the first of the largest.
template <class Real>
void apply_max_pool(const max_pool2d_options& o, const shape& in_shape, const shape& out_shape,
                    const Real* in, Real* out, std::vector<std::uint32_t>& chosen) {
  chosen.resize(numel(out_shape));
  std::size_t at = 0;
  for (std::size_t plane = 0; plane < pooling::planes(in_shape); ++plane) {
    const std::size_t first = plane * pooling::pixels(in_shape);
    for (int y = 0; y < out_shape[2]; ++y) {
      const pooling::range rows =
          pooling::taps(y, o.kernel_size.h, o.stride.h, o.padding.h, o.dilation.h, in_shape[2]);
      for (int x = 0; x < out_shape[3]; ++x, ++at) {
        const pooling::range columns =
            pooling::taps(x, o.kernel_size.w, o.stride.w, o.padding.w, o.dilation.w, in_shape[3]);
        Real largest = -std::numeric_limits<Real>::infinity();
        std::size_t where = first;
        bool any = false;
        for (int ky = rows.begin; ky < rows.end; ++ky) {
          const int row = y * o.stride.h - o.padding.h + ky * o.dilation.h;
          const int left = row * in_shape[3] + x * o.stride.w - o.padding.w;
          for (int kx = columns.begin; kx < columns.end; ++kx) {
            const std::size_t i = first + static_cast<std::size_t>(left + kx * o.dilation.w);
            if (any && !(in[i] > largest) && in[i] == in[i]) continue;
            largest = in[i];
            where = i;
            any = true;
          }
        }
        out[at] = largest;
        chosen[at] = static_cast<std::uint32_t>(where);
      }
    }
  }
}

template <class Real>
void add_max_pool_gradient(const std::vector<std::uint32_t>& chosen, const Real* grad_out,
                           Real* grad_in) {
  for (std::size_t i = 0; i < chosen.size(); ++i) grad_in[chosen[i]] += grad_out[i];
}

///   Options  avg_pool2d_options or adaptive_avg_pool2d_options
template <class Real, class Options>
void apply_average_pool(const Options& o, const shape& in_shape, const shape& out_shape,
                        const Real* in, Real* out) {
  pooling::for_each_average(
      o, in_shape, out_shape,
      [&](std::size_t first, std::size_t at, const pooling::averaged_window& w) {
        Real sum{0};
        w.for_each_pixel(in_shape[3], [&](std::size_t pixel) { sum += in[first + pixel]; });
        out[at] = sum / static_cast<Real>(w.divisor);
      });
}

template <class Real, class Options>
void add_average_pool_gradient(const Options& o, const shape& in_shape, const shape& out_shape,
                               const Real* grad_out, Real* grad_in) {
  pooling::for_each_average(
      o, in_shape, out_shape,
      [&](std::size_t first, std::size_t at, const pooling::averaged_window& w) {
        const Real share = grad_out[at] / static_cast<Real>(w.divisor);
        w.for_each_pixel(in_shape[3], [&](std::size_t pixel) { grad_in[first + pixel] += share; });
      });
}

}  // namespace ctq::training
