// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/observers/aminmax.hpp"
#include "ctq/spec/observer.hpp"

// Scale and zero point from an observed range: the formula of all observers.

namespace ctq::observers {

/// Quantization parameters of each slice along one axis, or of each group of group_size elements of
/// the slices, if that is not 0.
struct per_channel_qparams {
  std::vector<float> scale;
  std::vector<std::int32_t> zero_point;  // empty with float_zero_point
  std::vector<float> float_zero_point;   // per_channel_affine_float_qparams only
  std::int32_t quant_min = 0;
  std::int32_t quant_max = 255;
  int axis = 0;
  int group_size = 0;

  friend bool operator==(const per_channel_qparams&, const per_channel_qparams&) = default;
};

struct scale_and_zero_point {
  float scale = 1.0F;
  std::int32_t zero_point = 0;
};

struct scale_and_float_zero_point {
  float scale = 1.0F;
  float zero_point = 0.0F;
};

[[nodiscard]] constexpr bool is_symmetric(qscheme s) {
  return s == qscheme::per_tensor_symmetric || s == qscheme::per_channel_symmetric;
}

/// The problem with the arguments of an observer, or empty if they are valid.
[[nodiscard]] inline std::string problem_with(const observer_args& args) {
  const quant_range r = range_of(args);
  const quant_range dtype = range_of(args.dtype);
  const auto text = [](quant_range x) {
    return std::string("[") + std::to_string(x.min) + ", " + std::to_string(x.max) + "]";
  };
  if (!is_quantized(args.dtype))
    return std::string(name_of(args.dtype)) + " is not a quantized dtype";
  if (r.min >= r.max) return "quant_min is not below quant_max: " + text(r);
  if (r.min > 0 || r.max < 0) return "zero is outside the range " + text(r);
  if (r.min < dtype.min || r.max > dtype.max)
    return "the range " + text(r) + " exceeds that of " + std::string(name_of(args.dtype));
  return {};
}

inline constexpr const char* reduced_symmetric_quint8 =
    "reduce_range does not apply to symmetric quint8: the zero point is fixed to 128";

/// Converts float to int32 as x86: INT32_MIN if it does not fit or is NaN.
[[nodiscard]] inline std::int32_t to_int32(float x) {
  return x >= -0x1p31F && x < 0x1p31F ? static_cast<std::int32_t>(x) : INT32_MIN;
}

/// Scale and zero point for real values in [min, max], float32 throughout.
///
///   lo = min(min, 0), hi = max(max, 0)
///   symmetric  scale = max(-lo, hi) / ((quant_max - quant_min) / 2)
///              zero_point = 0; quint8: 128, or the middle of a custom range
///   affine     scale = (hi - lo) / (quant_max - quant_min)
///              zero_point = quant_min - rne(lo / scale), clamped
///
/// scale is at least eps. With qint8's [-128, 127] the symmetric divisor is 127.5, as in PyTorch.
/// A zero point that exceeds int32 (qint32 only) wraps and is then clamped; it is meaningless.
[[nodiscard]] inline scale_and_zero_point choose_scale(const observer_args& args, float min,
                                                       float max) {
  const quant_range r = range_of(args);
  const float lo = std::min(min, 0.0F);
  const float hi = std::max(max, 0.0F);
  const auto integer_span = static_cast<double>(r.max - r.min);
  if (is_symmetric(args.qscheme)) {
    const float scale =
        std::max(std::max(-lo, hi) / static_cast<float>(integer_span / 2), args.eps);
    if (args.dtype != quint8) return {scale, 0};
    const std::int64_t middle = has_custom_range(args) ? (r.min + r.max) >> 1 : 128;
    return {scale, static_cast<std::int32_t>(middle)};
  }
  const float scale = std::max((hi - lo) / static_cast<float>(integer_span), args.eps);
  const auto below = static_cast<std::uint32_t>(to_int32(std::nearbyint(lo / scale)));
  const auto wrapped = static_cast<std::int32_t>(static_cast<std::uint32_t>(r.min) - below);
  return {scale, static_cast<std::int32_t>(std::clamp<std::int64_t>(wrapped, r.min, r.max))};
}

/// The scheme of embeddings: the range need not include zero, and the zero point is a float.
[[nodiscard]] inline scale_and_float_zero_point choose_float_qparams(const observer_args& args,
                                                                     float min, float max) {
  const quant_range r = range_of(args);
  const float raw = (max - min) / static_cast<float>(r.max - r.min);
  const float scale = raw > args.eps ? raw : 1.0F;
  return {scale, -min / scale};
}

/// Why values in [min, max] have no valid scale, or empty if they have one.
[[nodiscard]] inline std::string problem_with(const extrema& seen, float scale, semantics s) {
  const auto range = [&] {
    return "the observed range [" + std::to_string(seen.min) + ", " + std::to_string(seen.max) +
           "]";
  };
  if (seen.saw_nan) return "the observed values include NaN";
  if (!(seen.min <= seen.max)) return range() + " was averaged with an infinite value";
  if (!(scale > 0.0F)) return range() + " gives the scale 0; set a positive eps";
  if (!infinite_scale_is_kept(s) && std::isinf(scale)) return range() + " is too wide for float32";
  return {};
}

/// Per-tensor qparams of the observed range; scale 1 and zero point 0 if nothing was observed.
/// Errors  inconsistent arguments; NaN; an infinite scale
/// Source  PyTorch UniformQuantizationObserverBase
[[nodiscard]] inline result<qparams> qparams_of_range(const observer_args& args,
                                                      const extrema& seen, semantics s = {}) {
  if (is_per_channel(args.qscheme))
    return fail("qscheme", std::string(name_of(args.qscheme)) + " needs a per-channel observer");
  if (std::string cause = problem_with(args); !cause.empty())
    return fail("observer arguments", std::move(cause));
  scale_and_zero_point q;
  if (seen.observed()) {
    q = choose_scale(args, seen.min, seen.max);
    if (std::string cause = problem_with(seen, q.scale, s); !cause.empty())
      return fail("calibration data", std::move(cause));
  }
  const quant_range r = range_of(args);
  return qparams{q.scale, q.zero_point, static_cast<std::int32_t>(r.min),
                 static_cast<std::int32_t>(r.max)};
}

/// The same for all observers but HistogramObserver.
/// Errors  also reduce_range for symmetric quint8
[[nodiscard]] inline result<qparams> calculate_qparams(const observer_args& args,
                                                       const extrema& seen, semantics s = {}) {
  if (reduces_symmetric_quint8(args)) return fail("observer arguments", reduced_symmetric_quint8);
  return qparams_of_range(args, seen, s);
}

/// Per-channel qparams; a single scale 1 and zero point 0 if nothing was observed.
/// Errors  as per tensor, with the channel index
[[nodiscard]] inline result<per_channel_qparams> calculate_qparams(const observer_args& args,
                                                                   span<const extrema> seen,
                                                                   semantics s = {}) {
  if (!is_per_channel(args.qscheme))
    return fail("qscheme", std::string(name_of(args.qscheme)) + " needs a per-tensor observer");
  if (std::string cause = problem_with(args); !cause.empty())
    return fail("observer arguments", std::move(cause));
  if (reduces_symmetric_quint8(args)) return fail("observer arguments", reduced_symmetric_quint8);
  const bool real = args.qscheme == qscheme::per_channel_affine_float_qparams;
  const quant_range r = range_of(args);
  per_channel_qparams q;
  q.quant_min = static_cast<std::int32_t>(r.min);
  q.quant_max = static_cast<std::int32_t>(r.max);
  q.axis = args.ch_axis;
  q.group_size = args.group_size;
  const auto append = [&](auto chosen, auto& zero_point) {
    q.scale.push_back(chosen.scale);
    zero_point.push_back(chosen.zero_point);
  };
  if (seen.empty()) {
    if (real) append(scale_and_float_zero_point{}, q.float_zero_point);
    if (!real) append(scale_and_zero_point{}, q.zero_point);
  }
  for (std::size_t c = 0; c < seen.size(); ++c) {
    const auto [min, max, saw_nan] = seen[c];
    if (real) append(choose_float_qparams(args, min, max), q.float_zero_point);
    if (!real) append(choose_scale(args, min, max), q.zero_point);
    if (std::string cause = problem_with(seen[c], q.scale.back(), s); !cause.empty())
      return fail("calibration data, channel " + std::to_string(c), std::move(cause));
  }
  return q;
}

}  // namespace ctq::observers
