// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/observers/aminmax.hpp"
#include "ctq/observers/per_channel_min_max.hpp"
#include "ctq/spec/observer.hpp"

// Input-weight equalization: the ranges of the columns of inputs and weights, and the factors s
// that equalize them: input columns are multiplied by s, weight columns divided by s.

namespace ctq::observers {

/// Merges all axes before the channel axis into one, and all axes after it: [outer, channels,
/// inner].
[[nodiscard]] constexpr shape with_axes_merged_around(span<const int> extents, int axis) {
  shape s(1, 1, 1);
  const int rank = static_cast<int>(extents.size());
  const int channel = axis < 0 ? axis + rank : axis;
  for (int i = 0; i < rank; ++i)
    s[i < channel ? 0 : i == channel ? 1 : 2] *= extents[static_cast<std::size_t>(i)];
  return s;
}

/// _InputEqualizationObserver: the range of each channel over all data.
class input_equalization {
 public:
  /// x has the axes [outer, channels, inner]. An empty tensor changes nothing.
  template <class Isa = isa::native>
  void observe(span<const float> x, const shape& folded) {
    columns_.observe<Isa>(x, folded);
  }

  void merge(const input_equalization& other) { columns_.merge(other.columns_); }

  /// Errors  no data, NaN, tensors with different numbers of channels
  [[nodiscard]] result<std::vector<extrema>> columns() const {
    if (!columns_.observed()) return fail("calibration data", "is missing: calibrate first");
    const span<const extrema> seen = columns_.seen();
    if (seen.empty()) return fail("calibration data", "tensors have different numbers of channels");
    for (std::size_t c = 0; c < seen.size(); ++c)
      if (seen[c].saw_nan)
        return fail("calibration data", "channel " + std::to_string(c) + " has NaN");
    return std::vector<extrema>(seen.begin(), seen.end());
  }

  friend bool operator==(const input_equalization&, const input_equalization&) = default;

 private:
  per_channel_min_max columns_{observer_args{.ch_axis = 1}};
};

/// _WeightEqualizationObserver: the range of each column of a weight, (O, I/groups, …) or
/// (out, in), one for each of the I channels of the input. PyTorch supports one group only.
/// Errors  a weight that does not match the number of channels, NaN
[[nodiscard]] inline result<std::vector<extrema>> weight_columns(span<const float> weight,
                                                                 span<const int> extents,
                                                                 std::size_t channels) {
  const shape s = with_axes_merged_around(extents, 1);
  const auto columns = static_cast<std::size_t>(s[1]);
  const std::size_t groups = columns == 0 ? 0 : channels / columns;
  if (extents.size() < 2 || numel(s) != weight.size() || groups == 0 || channels % columns != 0 ||
      static_cast<std::size_t>(s[0]) % groups != 0)
    return fail("weight", "does not fit an input of " + std::to_string(channels) + " channels");
  const shape one(s[0] / static_cast<int>(groups), s[1], s[2]);
  std::vector<extrema> all;
  for (std::size_t g = 0; g < groups; ++g)
    for (const extrema& e : aminmax(weight.subspan(g * numel(one), numel(one)), one, 1)) {
      if (e.saw_nan) return fail("weight", "has NaN");
      all.push_back(e);
    }
  return all;
}

/// sqrt(range of the weight / range of the input) for each column; 1 where that is not a positive
/// number with a finite inverse, so that a column without range is unchanged.
/// Requires  equal numbers of columns
/// Source    PyTorch calculate_equalization_scale, whose result has an infinite inverse if the
///           weight's range is below 1e-76 of the input's
[[nodiscard]] inline std::vector<float> equalization_scale(span<const extrema> input,
                                                           span<const extrema> weight) {
  std::vector<float> scale(input.size());
  for (std::size_t c = 0; c < scale.size(); ++c) {
    const float s = std::sqrt((weight[c].max - weight[c].min) / (input[c].max - input[c].min));
    const bool usable = s > 0.0F && s <= std::numeric_limits<float>::max() &&
                        1.0F / s <= std::numeric_limits<float>::max();
    scale[c] = usable ? s : 1.0F;
  }
  return scale;
}

}  // namespace ctq::observers
