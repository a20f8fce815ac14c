// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/aminmax.hpp"
#include "ctq/observers/calculate_qparams.hpp"
#include "ctq/observers/moving_average_min_max.hpp"
#include "ctq/observers/slices.hpp"
#include "ctq/spec/observer.hpp"

// PerChannelMinMaxObserver and MovingAveragePerChannelMinMaxObserver: a range for each slice along
// one axis, usually the output channels of a weight, or for each group of elements of them.

namespace ctq::observers {

/// The range of each slice of data along axis; axis < 0 counts from the end. data is contiguous in
/// logical order (NCHW, OIHW). Empty if axis or the number of elements do not match the shape.
template <class Isa = isa::native>
[[nodiscard]] std::vector<extrema> aminmax(span<const float> data, const shape& shape, int axis) {
  if (axis_index(shape, axis) < 0 || data.size() != numel(shape)) return {};
  std::vector<extrema> seen(static_cast<std::size_t>(shape[axis_index(shape, axis)]));
  for_each_slice(shape, axis, [&](std::size_t channel, std::size_t offset, std::size_t count) {
    seen[channel].merge(aminmax<Isa>(data.subspan(offset, count)));
  });
  return seen;
}

/// The range of each group of group_size elements of the slices along the first axis, slice by
/// slice; the last group of a slice may be shorter. Empty if the number of elements does not match
/// the shape.
template <class Isa = isa::native>
[[nodiscard]] std::vector<extrema> aminmax_of_groups(span<const float> data, const shape& shape,
                                                     int group_size) {
  std::vector<extrema> seen;
  if (shape.rank < 1 || data.size() != numel(shape)) return seen;
  const auto size = static_cast<std::size_t>(group_size);
  for_each_slice(shape, 0, [&](std::size_t, std::size_t offset, std::size_t count) {
    for (std::size_t at = 0; at < count; at += size)
      seen.push_back(aminmax<Isa>(data.subspan(offset + at, std::min(size, count - at))));
  });
  return seen;
}

/// Common part of both observers. After invalid data (NaN, a tensor with a different number of
/// channels) calculate_qparams returns an error; also after a vector under torch_1_13, as PyTorch
/// fails on it.
template <bool MovingAverage>
class per_channel {
 public:
  explicit per_channel(const observer_args& args, semantics s = {}) : args_(args), semantics_(s) {}

  /// An empty tensor changes nothing.
  template <class Isa = isa::native>
  void observe(span<const float> data, const shape& shape) {
    if (data.empty()) return;
    is_vector_ = is_vector_ || (shape.rank == 1 && vectors_have_no_channels(semantics_));
    const std::vector<extrema> now = args_.group_size > 0
                                         ? aminmax_of_groups<Isa>(data, shape, args_.group_size)
                                         : aminmax<Isa>(data, shape, args_.ch_axis);
    if (!check_channels(now)) return;
    for (std::size_t c = 0; c < now.size(); ++c) {
      if constexpr (MovingAverage)
        seen_[c] = moving_average(seen_[c], now[c], args_.averaging_constant);
      else
        seen_[c].merge(now[c]);
    }
  }

  /// Requires  equal arguments
  void merge(const per_channel& other) requires(!MovingAverage) {
    is_vector_ = is_vector_ || other.is_vector_;
    shape_mismatch_ = shape_mismatch_ || other.shape_mismatch_;
    if (shape_mismatch_) return seen_.clear();
    if (other.seen_.empty() || !check_channels(other.seen_)) return;
    for (std::size_t c = 0; c < seen_.size(); ++c) seen_[c].merge(other.seen_[c]);
  }

  [[nodiscard]] bool observed() const { return !seen_.empty() || shape_mismatch_; }
  [[nodiscard]] span<const extrema> seen() const { return seen_; }
  [[nodiscard]] const observer_args& args() const { return args_; }

  /// A single scale 1 and zero point 0 if nothing was observed.
  /// Errors  NaN; as observers::calculate_qparams, with the channel
  [[nodiscard]] result<per_channel_qparams> calculate_qparams() const {
    if (shape_mismatch_)
      return fail("calibration data",
                  "a tensor has no axis ch_axis = " + std::to_string(args_.ch_axis) +
                      ", or a number of elements that does not match its shape, or another number "
                      "of channels than the first");
    if (is_vector_)
      return fail("calibration data", "PyTorch 1.13 does not support channels of a vector");
    return observers::calculate_qparams(args_, span<const extrema>(seen_), semantics_);
  }

  friend bool operator==(const per_channel&, const per_channel&) = default;

 private:
  /// Checks the number of channels against earlier tensors and records a mismatch.
  bool check_channels(span<const extrema> now) {
    shape_mismatch_ =
        shape_mismatch_ || now.empty() || (!seen_.empty() && now.size() != seen_.size());
    if (shape_mismatch_) seen_.clear();
    if (!shape_mismatch_ && seen_.empty()) seen_.resize(now.size());
    return !shape_mismatch_;
  }

  observer_args args_;
  semantics semantics_;
  std::vector<extrema> seen_;
  bool shape_mismatch_ = false;
  bool is_vector_ = false;
};

using per_channel_min_max = per_channel<false>;
using moving_average_per_channel_min_max = per_channel<true>;

}  // namespace ctq::observers
