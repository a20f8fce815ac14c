// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ctq/evaluate/float_ops.hpp"
#include "tensors.hpp"

// What the fusion suite needs of its file: tensors as ctq's, and the stride and padding of a conv,
// which the cases do not say.

namespace golden {

inline ctq::float_ops::tensor floats_of(const tensor& t) { return {t.shape, t.floats()}; }

/// Infinity if the shapes differ.
inline double largest_difference(const ctq::float_ops::tensor& a, const ctq::float_ops::tensor& b) {
  if (a.shape != b.shape) return HUGE_VAL;
  double largest = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    const double d = std::abs(static_cast<double>(a.data[i]) - static_cast<double>(b.data[i]));
    if (!(d <= largest)) largest = d;  // also NaN
  }
  return largest;
}

/// How often sums of products are rounded in float32, in another order in each library: outputs
/// agree to this part of the largest of them.
inline constexpr double float_tolerance = 4e-6;

/// Empty, or by how much a tensor is off. `scale` is what its numbers are made of, if that is more
/// than they show: a gradient of zero is the rounding of those it was summed from.
inline std::string off_by(const std::string& what, const ctq::float_ops::tensor& wanted,
                          const ctq::float_ops::tensor& got, double scale = 0) {
  const double allowed = float_tolerance * std::max(scale, magnitude(wanted.data));
  const double difference = largest_difference(wanted, got);
  if (difference <= allowed) return {};
  char text[96];
  std::snprintf(text, sizeof text, " is off by %.3g, %.3g is allowed; ", difference, allowed);
  return what + text;
}

/// All that leads from the extents of the input to those of the output, the same along each axis.
inline std::vector<ctq::float_ops::convolution_options> geometries(
    const ctq::float_ops::extents& in, const ctq::float_ops::extents& weight,
    const ctq::float_ops::extents& out, int groups, bool transposed) {
  using ctq::float_ops::extents;
  const std::size_t axes = weight.size() - 2;
  std::vector<ctq::float_ops::convolution_options> all;
  const auto fits = [&](int stride, int padding, int dilation, int more) {
    for (std::size_t a = 2; a < weight.size(); ++a) {
      const int reach = dilation * (weight[a] - 1) + 1;
      const int extent = transposed ? (in[a] - 1) * stride - 2 * padding + reach + more
                                    : (in[a] + 2 * padding - reach) / stride + 1;
      if (extent != out[a] || (!transposed && in[a] + 2 * padding < reach)) return false;
    }
    return true;
  };
  for (int dilation = 1; dilation <= 3; ++dilation)
    for (int stride = 1; stride <= 4; ++stride)
      for (int padding = 0; padding <= 6; ++padding)
        for (int more = 0; more < (transposed ? std::max(stride, dilation) : 1); ++more)
          if (fits(stride, padding, dilation, more))
            all.push_back({.stride = extents(axes, stride),
                           .padding = extents(axes, padding),
                           .dilation = extents(axes, dilation),
                           .groups = groups,
                           .output_padding = extents(axes, more)});
  return all;
}

/// The geometry with which f(options) comes closest to `wanted`; throws malformed if none fits.
template <class F>
ctq::float_ops::convolution_options closest(
    const std::vector<ctq::float_ops::convolution_options>& all,
    const ctq::float_ops::tensor& wanted, F f) {
  const ctq::float_ops::convolution_options* best = nullptr;
  double least = HUGE_VAL;
  for (const auto& o : all) {
    const auto got = f(o);
    const double off = got ? largest_difference(wanted, *got) : HUGE_VAL;
    if (best != nullptr && !(off < least)) continue;
    best = &o;
    least = off;
  }
  if (best == nullptr) throw malformed("no stride and padding lead to this output");
  return *best;
}

}  // namespace golden
