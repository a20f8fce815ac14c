// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/dtype.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/observers/choose_qparams.hpp"
#include "ctq/observers/float16.hpp"
#include "ctq/runtime/check_qparams.hpp"

// Quantized tensors at run time, of any rank and dtype, with their scale and zero point, as in
// PyTorch.

namespace ctq {

/// One scale and zero point, or one per slice along an axis, or one per group of consecutive
/// elements of a slice along axis 0, slice by slice.
struct tensor_qparams {
  ctq::dtype dtype = quint8;
  int axis = -1;                   // -1: one for all
  std::vector<double> scale{1.0};  // rounded to float32 where it is used
  std::vector<std::int32_t> zero_point{0};
  std::vector<float> float_zero_point{};  // of embeddings, instead of zero_point
  int group_size = 0;                     // elements of a group; 0: no groups

  [[nodiscard]] bool is_per_channel() const { return axis >= 0; }

  friend bool operator==(const tensor_qparams&, const tensor_qparams&) = default;
};

/// Integers use the dtype's whole range: an observer's narrower one only affects the scale.
[[nodiscard]] inline tensor_qparams tensor_qparams_of(dtype d, const qparams& p) {
  return {d, -1, {static_cast<double>(p.scale)}, {p.zero_point}, {}};
}

[[nodiscard]] inline tensor_qparams tensor_qparams_of(dtype d,
                                                      const observers::per_channel_qparams& p) {
  return {d,           p.axis, {p.scale.begin(), p.scale.end()}, p.zero_point, p.float_zero_point,
          p.group_size};
}

/// Per-tensor qparams, as kernels read them.
[[nodiscard]] inline qparams qparams_of(const tensor_qparams& q) {
  return with_whole_range({static_cast<float>(q.scale[0]), q.zero_point[0]}, q.dtype);
}

namespace quantizing {

/// Which scale an element has, by number.
struct scale_index {
  std::size_t channels = 1, inner = 1, groups = 1, group_size = 0;

  scale_index(const float_ops::extents& shape, const tensor_qparams& s) {
    for (std::size_t a = 0; a < shape.size(); ++a) {
      if (static_cast<int>(a) == s.axis) channels = static_cast<std::size_t>(shape[a]);
      if (s.axis >= 0 && static_cast<int>(a) > s.axis) inner *= static_cast<std::size_t>(shape[a]);
    }
    group_size = s.group_size > 0 ? static_cast<std::size_t>(s.group_size) : inner;
    if (group_size > 0) groups = (inner + group_size - 1) / group_size;
  }
};

/// Calls visit(number of the scale, i) for each element.
template <class Visit>
void for_each_element(const float_ops::extents& shape, const tensor_qparams& s, Visit visit) {
  const scale_index of(shape, s);
  const std::size_t count = float_ops::numel(shape);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = s.axis < 0 ? 0 : (i / of.inner) % of.channels;
    visit(channel * of.groups + i % of.inner / of.group_size, i);
  }
}

}  // namespace quantizing

/// The error in these qparams for a tensor of that shape, or an empty string.
[[nodiscard, gnu::cold]] inline std::string problem_with(const tensor_qparams& s,
                                                         const float_ops::extents& shape) {
  if (!is_quantized(s.dtype)) return std::string(name_of(s.dtype)) + " is no dtype of integers";
  if (s.axis >= static_cast<int>(shape.size()))
    return "there is no axis " + std::to_string(s.axis) + " for the scales";
  const auto is_zero = [](std::int32_t zero_point) { return zero_point == 0; };
  if (s.group_size != 0 &&
      (s.group_size < 0 || s.group_size > max_group_size || s.axis != 0 || s.dtype != qint8 ||
       !s.float_zero_point.empty() || !std::ranges::all_of(s.zero_point, is_zero)))
    return "groups of " + std::to_string(s.group_size) +
           " elements: qparams per group are those of qint8, along axis 0, with zero points of 0 "
           "and groups of at most 2^20";
  const quantizing::scale_index of(shape, s);
  const std::size_t count = of.channels * of.groups;
  const bool is_float = !s.float_zero_point.empty();
  const std::size_t zero_points = is_float ? s.float_zero_point.size() : s.zero_point.size();
  if (s.scale.size() != count || zero_points != count)
    return "the number of scales is " + std::to_string(s.scale.size()) + ", that of zero points " +
           std::to_string(zero_points) + "; both must be " + std::to_string(count);
  if (is_float) return {};  // a scale of 0 is valid there
  for (std::size_t c = 0; c < count; ++c) {
    const qparams one{static_cast<float>(s.scale[c]), s.zero_point[c]};
    std::string problem = problem_with(with_whole_range(one, s.dtype), s.dtype);
    if (!problem.empty()) return problem;
  }
  return {};
}

/// Integers with their scale and zero point.
struct quantized_tensor {
  tensor_qparams qparams;
  float_ops::array<std::int32_t> q;
};

namespace quantizing {

/// clamp(rne(x * inverse)) + zero_point; the zero point for NaN.
inline std::int32_t integer_of(float x, float inverse, std::int32_t zero_point, quant_range r) {
  double steps = static_cast<double>(std::nearbyint(x * inverse));
  if (steps != steps) steps = 0.0;
  const double low = static_cast<double>(r.min) - zero_point;
  const double high = static_cast<double>(r.max) - zero_point;
  return static_cast<std::int32_t>(std::clamp(steps, low, high) + zero_point);
}

/// The zero point of embeddings is added before rounding, and a scale of 0 means 1.
inline std::int32_t integer_of(float x, float inverse, float zero_point, quant_range r) {
  const float steps = std::nearbyint(no_contract(x * inverse) + zero_point);
  const auto low = static_cast<float>(r.min);
  const auto high = static_cast<float>(r.max);
  return static_cast<std::int32_t>(std::clamp(steps != steps ? low : steps, low, high));
}

}  // namespace quantizing

/// Quantizes a tensor; per group to 4 bits.
/// Requires  as many scales as the axis has slices
/// Rounding  to nearest, ties to even, after multiplying by the float32 inverse of the scale
/// Source    PyTorch quantize_per_tensor, quantize_per_channel
[[nodiscard]] inline quantized_tensor quantize(const float_ops::tensor& x, tensor_qparams qparams) {
  quantized_tensor out{std::move(qparams), {x.shape, std::vector<std::int32_t>(x.data.size())}};
  const tensor_qparams& s = out.qparams;
  const quant_range range = s.group_size > 0 ? int4_range : range_of(s.dtype);
  std::vector<float> inverse;
  for (const double scale : s.scale) {
    const auto narrow = static_cast<float>(scale);
    inverse.push_back(narrow == 0.0F && !s.float_zero_point.empty() ? 1.0F : 1.0F / narrow);
  }
  quantizing::for_each_element(x.shape, s, [&](std::size_t c, std::size_t i) {
    out.q.data[i] =
        s.float_zero_point.empty()
            ? quantizing::integer_of(x.data[i], inverse[c], s.zero_point[c], range)
            : quantizing::integer_of(x.data[i], inverse[c], s.float_zero_point[c], range);
  });
  return out;
}

/// (q - zero_point) * scale, in float32.
[[nodiscard]] inline float_ops::tensor dequantize(const quantized_tensor& x) {
  float_ops::tensor out{x.q.shape, std::vector<float>(x.q.data.size())};
  const tensor_qparams& s = x.qparams;
  if (!s.is_per_channel() && s.float_zero_point.empty() && s.dtype != qint32) {
    const auto scale = static_cast<float>(s.scale[0]);
    std::transform(x.q.data.begin(), x.q.data.end(), out.data.begin(),
                   [&](std::int32_t q) { return static_cast<float>(q - s.zero_point[0]) * scale; });
    return out;
  }
  quantizing::for_each_element(x.q.shape, s, [&](std::size_t c, std::size_t i) {
    const std::int32_t q = x.q.data[i];
    // A qint32 is rounded to float before the zero point is subtracted, as in PyTorch.
    const float steps = !s.float_zero_point.empty() ? static_cast<float>(q) - s.float_zero_point[c]
                        : s.dtype == qint32
                            ? static_cast<float>(q) - static_cast<float>(s.zero_point[c])
                            : static_cast<float>(q - s.zero_point[c]);
    out.data[i] = steps * static_cast<float>(s.scale[c]);
  });
  return out;
}

/// The tensor, quantized and dequantized.
[[nodiscard]] inline float_ops::tensor rounded(const float_ops::tensor& x,
                                               const tensor_qparams& qparams) {
  return dequantize(quantize(x, qparams));
}

/// The scale and zero point of dynamic quantization for these values.
///   halve  use half of the range: reduce_range, on engines that support it
[[nodiscard]] inline tensor_qparams dynamic_qparams(const float_ops::tensor& x, dtype d,
                                                    bool halve = false) {
  float min = 0.0F;
  float max = 0.0F;
  if (!x.data.empty()) {
    const auto [lo, hi] = std::minmax_element(x.data.begin(), x.data.end());
    min = *lo;
    max = *hi;
  }
  const quant_range r = halve ? observers::reduced(range_of(d)) : range_of(d);
  const observers::dynamic_qparams p = observers::choose_qparams(min, max, r);
  return {d, -1, {p.scale}, {p.zero_point}, {}};
}

[[nodiscard]] inline float_ops::tensor rounded_to_float16(float_ops::tensor x) {
  for (float& v : x.data) v = rounded_to_float16(v);
  return x;
}

}  // namespace ctq
