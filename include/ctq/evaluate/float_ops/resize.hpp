// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/core/shapes/resampling_shape.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/pools.hpp"
#include "ctq/evaluate/float_ops/strided.hpp"
#include "ctq/evaluate/float_ops/views.hpp"
#include "ctq/kernels/sampling_point.hpp"

// Resizing of images: interpolate, and pixel_shuffle, which moves elements between channels and
// pixels.

namespace ctq::float_ops {

namespace resizing {

using rule = sampling_rule;

/// The points of an axis.
///   scale  input elements per output element
template <class Point>
[[nodiscard]] std::vector<Point> points(int in, int out, float scale, rule how) {
  std::vector<Point> all;
  for (int i = 0; i < out; ++i) all.push_back(kernels::point_of<Point>(i, in, scale, how));
  return all;
}

/// The value at a point.
///   at(i)  element i of the axis
template <class At>
[[nodiscard]] float value_at(const kernels::sampling_point& p, At at) {
  return kernels::interpolated(p, at(p.a), at(p.b));
}
template <class At>
[[nodiscard]] float value_at(const kernels::cubic_point& p, At at) {
  const float near[] = {at(p.index[0]), at(p.index[1]), at(p.index[2]), at(p.index[3])};
  return kernels::interpolated(p, near);
}

/// Resizes one axis.
template <class Point>
tensor resize_axis(const tensor& in, std::size_t axis, const std::vector<Point>& to) {
  extents shape = in.shape;
  shape[axis] = static_cast<int>(to.size());
  tensor out = filled(shape);
  const auto [rows, row] = around(in.shape, axis);
  const auto extent = static_cast<std::size_t>(in.shape[axis]);
  float* next = out.data.data();
  for (std::size_t r = 0; r < rows; ++r) {
    const float* const from = in.data.data() + r * extent * row;
    for (const Point& p : to)
      for (std::size_t x = 0; x < row; ++x)
        *next++ = value_at(
            p, [&, step = row](int i) { return from[static_cast<std::size_t>(i) * step + x]; });
  }
  return out;
}

}  // namespace resizing

namespace implementation {

inline result<value> interpolate(operands& from) {
  using resizing::rule;
  const tensor& in = from.floats("input");
  const std::string mode = from.text("mode");
  const int axes = rank(in.shape) - 2;
  from.require(axes >= 1 && axes <= 3 && !in.data.empty(), "the input needs 1 to 3 axes of pixels");
  if (from.failed()) return from.failure();
  constexpr const char* linear[] = {"linear", "bilinear", "trilinear"};
  const bool nearest = mode == "nearest", exact = mode == "nearest-exact", area = mode == "area";
  const bool cubic = mode == "bicubic" && axes == 2;
  if (!nearest && !exact && !area && !cubic && mode != linear[axes - 1])
    return from.failure("unknown mode " + mode + " for these axes");
  const bool aligned = !from.is_none("align_corners") && from.flag("align_corners");
  const bool recompute =
      !from.is_none("recompute_scale_factor") && from.flag("recompute_scale_factor");
  from.require(from.is_none("size") != from.is_none("scale_factor"),
               "needs either size or scale_factor");
  from.require(!from.flag("antialias"), "has no antialias");
  std::vector<double> factors;  // given scale factors; empty if the size is given
  extents size;
  if (!from.is_none("size")) {
    size = from.integers("size", axes);
  } else {
    const value given = from.any("scale_factor");
    if (const auto* each = given.get_if<list>()) {
      for (const value& f : *each) factors.push_back(as_real(f).value_or(0));
    } else {
      factors.assign(static_cast<std::size_t>(axes), as_real(given).value_or(0));
    }
    from.require(static_cast<int>(factors.size()) == axes,
                 "scale_factor needs one number per axis");
    for (std::size_t a = 0; a < factors.size() && !from.failed(); ++a) {
      const double extent = std::floor(in.shape[a + 2] * factors[a]);
      from.require(extent >= 1 && extent <= INT32_MAX, "the output has no pixels");
      size.push_back(from.failed() ? 0 : static_cast<int>(extent));
    }
  }
  for (const int s : size) from.require(s > 0, "the output has no pixels");
  if (from.failed()) return from.failure();
  if (area) return value(pooling::adaptive_mean_pool(in, size));
  tensor out = in;
  for (std::size_t a = 0; a < size.size(); ++a) {
    const int n = in.shape[a + 2];
    const bool own = !factors.empty() && !recompute;
    float scale = own ? static_cast<float>(1.0 / factors[a])
                      : static_cast<float>(n) / static_cast<float>(size[a]);
    rule how = nearest ? rule::nearest : exact ? rule::nearest_exact : rule::linear;
    if (how == rule::linear && cubic) how = rule::cubic;
    if (aligned && !nearest && !exact) {
      how = cubic ? rule::cubic_aligned : rule::linear_aligned;
      scale = size[a] > 1 ? static_cast<float>(n - 1) / static_cast<float>(size[a] - 1) : 0.0F;
    }
    out = cubic
              ? resizing::resize_axis(
                    out, a + 2, resizing::points<kernels::cubic_point>(n, size[a], scale, how))
              : resizing::resize_axis(
                    out, a + 2, resizing::points<kernels::sampling_point>(n, size[a], scale, how));
  }
  return value(std::move(out));
}

/// (…, C * r², H, W) to (…, C, H * r, W * r), or back.
template <bool Unshuffle>
result<value> pixel_shuffle(operands& from) {
  const tensor& in = from.floats("input");
  const int r = from.integer(Unshuffle ? "downscale_factor" : "upscale_factor");
  const std::size_t axes = in.shape.size();
  from.require(axes >= 3 && r > 0, "needs three axes and a factor of at least 1");
  if (from.failed()) return from.failure();
  const int c = in.shape[axes - 3], h = in.shape[axes - 2], w = in.shape[axes - 1];
  const bool fits = Unshuffle ? h % r == 0 && w % r == 0 : c % (std::int64_t{r} * r) == 0;
  if (!fits) return from.failure("the factor does not divide the extents");
  extents shape(in.shape.begin(), in.shape.end() - 3), order = viewing::iota(shape.size());
  extents split = shape;
  const int n = static_cast<int>(axes) - 3;
  if (Unshuffle) {
    split.insert(split.end(), {c, h / r, r, w / r, r});
    order.insert(order.end(), {n, n + 2, n + 4, n + 1, n + 3});
    shape.insert(shape.end(), {c * r * r, h / r, w / r});
  } else {
    split.insert(split.end(), {c / (r * r), r, r, h, w});
    order.insert(order.end(), {n, n + 3, n + 1, n + 4, n + 2});
    shape.insert(shape.end(), {c / (r * r), h * r, w * r});
  }
  tensor out = copy(in, permuted(strided_of(split), order));
  out.shape = shape;
  return value(std::move(out));
}

inline constexpr float_op resizes[] = {
    {"interpolate upsample",
     "input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
     "recompute_scale_factor=None, antialias=False",
     interpolate},
    {"upsampling_nearest?d",
     "input, size=None, scale_factor=None, mode='nearest', align_corners=None, "
     "recompute_scale_factor=None, antialias=False",
     interpolate},
    {"upsampling_bilinear?d",
     "input, size=None, scale_factor=None, mode='bilinear', align_corners=True, "
     "recompute_scale_factor=None, antialias=False",
     interpolate},
    {"pixel_shuffle", "input, upscale_factor", pixel_shuffle<false>},
    {"pixel_unshuffle", "input, downscale_factor", pixel_shuffle<true>},
};

}  // namespace implementation
}  // namespace ctq::float_ops
