// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "observer_cases.hpp"
#include "report.hpp"

// What the cases of the quantize suite share: reading parameters, and what PyTorch leaves
// undefined.

namespace golden {

inline std::int32_t int32_from(double x) {
  if (!(x >= -0x1p31 && x < 0x1p31)) throw malformed("an integer of more than 32 bits");
  return static_cast<std::int32_t>(x);
}

inline double number(const suite_file& file, const json& j) {
  const auto all = file.numbers(j);
  if (all.size() != 1) throw malformed("not one number");
  return all.front();
}

inline ctq::qparams qparams_from(double scale, double zero_point, ctq::quant_range range) {
  const ctq::qparams p{static_cast<float>(scale), int32_from(zero_point),
                       static_cast<std::int32_t>(range.min), static_cast<std::int32_t>(range.max)};
  if (p.zero_point < p.quant_min || p.zero_point > p.quant_max)
    throw malformed("the zero point lies outside the range");
  return p;
}

inline ctq::quant_range range_from(const json& c) {
  const ctq::quant_range r{integer<int>(c.at("quant_min")), integer<int>(c.at("quant_max"))};
  if (r.min > r.max) throw malformed("quant_min exceeds quant_max");
  return r;
}

/// One number for each index along the axis of x.
inline std::vector<double> channel_numbers(const suite_file& file, const json& j,
                                           const shaped_tensor& x) {
  auto numbers = file.numbers(j);
  const int axis = obs::axis_index(x.shape, x.axis);
  if (axis < 0 || numbers.size() != static_cast<std::size_t>(x.shape[axis]))
    throw malformed("not one scale and zero point for each channel");
  return numbers;
}

/// The parameters of each channel.
inline std::vector<ctq::qparams> channels_of(const suite_file& file, const json& c,
                                             const shaped_tensor& x, ctq::quant_range range) {
  const auto scale = channel_numbers(file, c.at("scale"), x);
  const auto zero_point = channel_numbers(file, c.at("zero_point"), x);
  std::vector<ctq::qparams> channels;
  for (std::size_t i = 0; i < scale.size(); ++i)
    channels.push_back(qparams_from(scale[i], zero_point[i], range));
  return channels;
}

/// x / scale does not fit in int64 (or is NaN): PyTorch's conversion is undefined there, and its
/// answer on x86 is quant_min even for large positive x. ctq saturates, and gives the zero point
/// for NaN.
inline bool is_undefined(float x, float scale) { return !(std::abs(x * (1.0F / scale)) < 0x1p63F); }

inline double saturated(float x, const ctq::qparams& p) {
  if (std::isnan(x)) return p.zero_point;
  return x < 0 ? p.quant_min : p.quant_max;
}

/// Replaces what PyTorch leaves undefined by ctq's definition.
inline void define(std::vector<double>& q, std::vector<double>& dq, std::size_t offset,
                   std::span<const float> x, const ctq::qparams& p, report& report) {
  if (q.size() < offset + x.size() || dq.size() < offset + x.size())
    throw malformed("fewer results than inputs");
  std::size_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!is_undefined(x[i], p.scale)) continue;
    q[offset + i] = saturated(x[i], p);
    dq[offset + i] = double{static_cast<float>(q[offset + i] - p.zero_point) * p.scale};
    ++count;
  }
  report.left_open("huge-values-undefined", count);
}

/// x where PyTorch's answer is defined, and where it is not a value for which the answer is the
/// same as PyTorch's on x86: one below the range. For sums, of which the terms cannot be defined
/// apart.
inline std::vector<float> with_x86_answers(std::span<const float> x, float scale, report& report) {
  std::vector<float> same(x.begin(), x.end());
  std::size_t count = 0;
  for (float& value : same) {
    if (!is_undefined(value, scale)) continue;
    value = -std::numeric_limits<float>::infinity();
    ++count;
  }
  report.left_open("huge-values-undefined", count);
  return same;
}

}  // namespace golden
