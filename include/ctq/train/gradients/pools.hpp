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

/// The part of one axis that an output element is made of.
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

/// The windows of an average pool, inside the image; `divisor(rows, columns)` as PyTorch counts.
struct averages {
  avg_pool2d_options options{};
  shape in{};

  [[nodiscard]] range clipped(int at, int kernel, int stride, int padding, int extent) const {
    const int begin = at * stride - padding;
    return {std::max(begin, 0), std::min(begin + kernel, extent)};
  }
  [[nodiscard]] range rows(int y) const {
    return clipped(y, options.kernel_size.h, options.stride.h, options.padding.h, in[2]);
  }
  [[nodiscard]] range columns(int x) const {
    return clipped(x, options.kernel_size.w, options.stride.w, options.padding.w, in[3]);
  }
  /// Elements of the window along one axis with the padding that counts.
  [[nodiscard]] int counted(int at, int kernel, int stride, int padding, int extent) const {
    const int begin = at * stride - padding;
    return std::min(begin + kernel, extent + padding) - begin;
  }
};

/// Adaptive: element i of `out` averages from floor(i * in / out) to ceil((i + 1) * in / out).
inline range adaptive(int i, int in, int out) {
  return {static_cast<int>(std::int64_t{i} * in / out),
          static_cast<int>((std::int64_t{i + 1} * in + out - 1) / out)};
}

/// Calls visit(output element, rows, columns, how many elements the sum is divided by).
template <class Visit>
void for_each_average(const avg_pool2d_options& o, const shape& in, const shape& out, Visit visit) {
  const averages a{o, in};
  for (int y = 0; y < out[2]; ++y)
    for (int x = 0; x < out[3]; ++x) {
      const range rows = a.rows(y), columns = a.columns(x);
      const int divisor = o.count_include_pad
                              ? a.counted(y, o.kernel_size.h, o.stride.h, o.padding.h, in[2]) *
                                    a.counted(x, o.kernel_size.w, o.stride.w, o.padding.w, in[3])
                              : (rows.end - rows.begin) * (columns.end - columns.begin);
      visit(static_cast<std::size_t>(y * out[3] + x), rows, columns, divisor);
    }
}
template <class Visit>
void for_each_average(const adaptive_avg_pool2d_options&, const shape& in, const shape& out,
                      Visit visit) {
  for (int y = 0; y < out[2]; ++y)
    for (int x = 0; x < out[3]; ++x) {
      const range rows = adaptive(y, in[2], out[2]), columns = adaptive(x, in[3], out[3]);
      visit(static_cast<std::size_t>(y * out[3] + x), rows, columns,
            (rows.end - rows.begin) * (columns.end - columns.begin));
    }
}

}  // namespace pooling

/// Also notes for each output element which element of the input it is: the first of the largest.
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

/// Options: avg_pool2d_options or adaptive_avg_pool2d_options
template <class Real, class Options>
void apply_average_pool(const Options& o, const shape& in_shape, const shape& out_shape,
                        const Real* in, Real* out) {
  for (std::size_t plane = 0; plane < pooling::planes(in_shape); ++plane) {
    const Real* const from = in + plane * pooling::pixels(in_shape);
    Real* const to = out + plane * pooling::pixels(out_shape);
    pooling::for_each_average(
        o, in_shape, out_shape,
        [&](std::size_t at, pooling::range rows, pooling::range columns, int divisor) {
          Real sum{0};
          for (int y = rows.begin; y < rows.end; ++y)
            for (int x = columns.begin; x < columns.end; ++x)
              sum += from[static_cast<std::size_t>(y * in_shape[3] + x)];
          to[at] = sum / static_cast<Real>(divisor);
        });
  }
}

template <class Real, class Options>
void add_average_pool_gradient(const Options& o, const shape& in_shape, const shape& out_shape,
                               const Real* grad_out, Real* grad_in) {
  for (std::size_t plane = 0; plane < pooling::planes(in_shape); ++plane) {
    const Real* const from = grad_out + plane * pooling::pixels(out_shape);
    Real* const to = grad_in + plane * pooling::pixels(in_shape);
    pooling::for_each_average(
        o, in_shape, out_shape,
        [&](std::size_t at, pooling::range rows, pooling::range columns, int divisor) {
          const Real share = from[at] / static_cast<Real>(divisor);
          for (int y = rows.begin; y < rows.end; ++y)
            for (int x = columns.begin; x < columns.end; ++x)
              to[static_cast<std::size_t>(y * in_shape[3] + x)] += share;
        });
  }
}

}  // namespace ctq::training
