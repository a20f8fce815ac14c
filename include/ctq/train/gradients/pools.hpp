// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ctq/core/shape.hpp"
#include "ctq/kernels/pool_window.hpp"
#include "ctq/ops/pools.hpp"

// Pools along the last two axes and their gradients, plane by plane.

namespace ctq::training {

namespace pooling {

inline std::size_t planes(const shape& s) {
  return static_cast<std::size_t>(s[0]) * static_cast<std::size_t>(s[1]);
}
inline std::size_t pixels(const shape& s) {
  return static_cast<std::size_t>(s[2]) * static_cast<std::size_t>(s[3]);
}

/// What one output element is computed from.
struct window {
  kernels::pool_span rows{}, columns{};
  extent2d dilation{1};

  [[nodiscard]] int taps() const { return rows.taps * columns.taps; }
  /// Calls visit(pixel) for each pixel of a plane of this width, row by row.
  template <class Visit>
  void for_each_pixel(int width, Visit visit) const {
    for (int y = 0; y < rows.taps; ++y)
      for (int x = 0; x < columns.taps; ++x)
        visit(static_cast<std::size_t>((rows.first + y * dilation.h) * width + columns.first +
                                       x * dilation.w));
  }
};

inline window window_at(const max_pool2d_options& o, const shape& in, const shape&, int y, int x) {
  return {kernels::pool_span_of(y, in[2], o.kernel_size.h, o.stride.h, o.padding.h, o.dilation.h),
          kernels::pool_span_of(x, in[3], o.kernel_size.w, o.stride.w, o.padding.w, o.dilation.w),
          o.dilation};
}
inline window window_at(const avg_pool2d_options& o, const shape& in, const shape&, int y, int x) {
  return {kernels::pool_span_of(y, in[2], o.kernel_size.h, o.stride.h, o.padding.h, 1),
          kernels::pool_span_of(x, in[3], o.kernel_size.w, o.stride.w, o.padding.w, 1)};
}
inline window window_at(const adaptive_avg_pool2d_options&, const shape& in, const shape& out,
                        int y, int x) {
  return {kernels::adaptive_span_of(y, in[2], out[2]), kernels::adaptive_span_of(x, in[3], out[3])};
}

/// How many elements the sum of a window is divided by.
inline int divisor_of(const avg_pool2d_options& o, const window& w) {
  if (o.divisor_override > 0) return o.divisor_override;
  return o.count_include_pad ? w.rows.padded * w.columns.padded : w.taps();
}
inline int divisor_of(const adaptive_avg_pool2d_options&, const window& w) { return w.taps(); }

/// Calls visit(first input element of the plane, output element, window) for each output element.
template <class Options, class Visit>
void for_each_window(const Options& o, const shape& in, const shape& out, Visit visit) {
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
  pooling::for_each_window(o, in_shape, out_shape,
                           [&](std::size_t first, std::size_t at, const pooling::window& w) {
                             Real largest = -std::numeric_limits<Real>::infinity();
                             std::size_t where = first;
                             bool any = false;
                             w.for_each_pixel(in_shape[3], [&](std::size_t pixel) {
                               const Real value = in[first + pixel];
                               if (any && !(value > largest) && value == value) return;
                               largest = value;
                               where = first + pixel;
                               any = true;
                             });
                             out[at] = largest;
                             chosen[at] = static_cast<std::uint32_t>(where);
                           });
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
  pooling::for_each_window(
      o, in_shape, out_shape, [&](std::size_t first, std::size_t at, const pooling::window& w) {
        Real sum{0};
        w.for_each_pixel(in_shape[3], [&](std::size_t pixel) { sum += in[first + pixel]; });
        out[at] = sum / static_cast<Real>(pooling::divisor_of(o, w));
      });
}

template <class Real, class Options>
void add_average_pool_gradient(const Options& o, const shape& in_shape, const shape& out_shape,
                               const Real* grad_out, Real* grad_in) {
  pooling::for_each_window(
      o, in_shape, out_shape, [&](std::size_t first, std::size_t at, const pooling::window& w) {
        const Real share = grad_out[at] / static_cast<Real>(pooling::divisor_of(o, w));
        w.for_each_pixel(in_shape[3], [&](std::size_t pixel) { grad_in[first + pixel] += share; });
      });
}

}  // namespace ctq::training
