// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "ctq/core/dtype.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/one_or_many.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/runtime/check_qparams.hpp"

// The scales and zero points of a tensor at run time, of any rank and dtype, as in PyTorch.

namespace ctq {

/// One scale and zero point, or one per slice along an axis, or one per group of consecutive
/// elements of a slice along axis 0, slice by slice.
struct tensor_qparams {
  ctq::dtype dtype = quint8;
  int axis = -1;                   // -1: one for all
  one_or_many<double> scale{1.0};  // rounded to float32 where it is used
  one_or_many<std::int32_t> zero_point{0};
  one_or_many<float> float_zero_point{};  // of embeddings, instead of zero_point
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

}  // namespace ctq
