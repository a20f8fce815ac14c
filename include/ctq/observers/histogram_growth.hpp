// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/observers/aminmax.hpp"

// Growth of a histogram for values outside its range.

namespace ctq::observers {

/// The position of an old histogram in a new, wider one: each old bin is divided into `upsample`
/// parts; `downsample` parts make a new bin. The old range starts `start` parts after the new one.
struct histogram_growth {
  float min{};
  float max{};
  float downsample{};
  float start{};
};

/// The new range is the union, widened so that downsample is an integer.
[[nodiscard]] inline histogram_growth grow(const extrema& old, const extrema& now, int bins,
                                           int upsample_rate, semantics s) {
  const float min = std::min(old.min, now.min);
  const float max = std::max(old.max, now.max);
  const auto count = static_cast<float>(bins);
  const auto upsample = static_cast<float>(upsample_rate);
  if (histogram_growth_avoids_underflow(s)) {
    const bool overflows = !std::isfinite((max - min) * count * upsample);
    const float unit = overflows && histogram_growth_avoids_overflow(s) ? 0x1p64F : 1.0F;
    const float width = (max - min) / unit;
    const float old_width = (old.max - old.min) / unit;
    const float downsample = std::ceil(width * upsample / old_width);
    const float widened = downsample * old_width / upsample;
    return {min, max + (widened - width) * unit, downsample,
            std::nearbyint((old.min - min) / unit * count * upsample / old_width)};
  }
  const float old_width = old.max - old.min;
  const float part = old_width / (count * upsample);
  const float downsample = std::ceil((max - min) / (count * part));
  const float widened = no_contract(downsample * (count * part));
  return {min, max + (widened - (max - min)), downsample, std::nearbyint((old.min - min) / part)};
}

/// Calls add(i, value) for each new bin with its share of the old counts. Counts past the last bin,
/// due to rounding, are added to it. PyTorch materializes all parts and computes a cumulative sum;
/// here only the running sum is kept: in double, but in float32 where the previous bin's sum is
/// subtracted.
template <class Add>
void spread(span<const float> old, std::int64_t upsample, std::int64_t downsample,
            std::int64_t start, Add add) {
  double sum = 0.0;
  double sum_before = 0.0;
  std::size_t bin = 0;
  const std::size_t last = old.size() - 1;
  std::int64_t remaining = downsample;  // parts until the end of this new bin
  const auto finish_bin = [&] {
    add(bin, static_cast<float>((sum - sum_before) / static_cast<double>(upsample)));
    sum_before = static_cast<double>(static_cast<float>(sum));
    remaining = downsample;
    ++bin;
  };
  for (; start >= remaining && bin < last; start -= downsample) finish_bin();
  remaining -= start;
  for (const float value : old) {
    for (std::int64_t parts = upsample; parts > 0;) {
      const std::int64_t n = bin < last ? std::min(parts, remaining) : parts;
      if (value != 0.0F)
        for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(value);
      parts -= n;
      remaining -= n;
      if (remaining == 0 && bin < last) finish_bin();
    }
  }
  while (bin <= last) finish_bin();
}

}  // namespace ctq::observers
