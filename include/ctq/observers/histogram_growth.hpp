// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/semantics.hpp"
#include "ctq/observers/aminmax.hpp"

// How a histogram grows when values arrive that lie outside its range.

namespace ctq::observers {

/// How an old histogram lies in a new, wider one: each old bin is cut into upsample parts, of
/// which downsample make a new bin. The old range begins start parts after the new one.
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
  const float old_width = old.max - old.min;
  if (histogram_growth_avoids_underflow(s)) {
    const float downsample = std::ceil((max - min) * upsample / old_width);
    const float widened = downsample * old_width / upsample;
    return {min, max + (widened - (max - min)), downsample,
            std::nearbyint((old.min - min) * count * upsample / old_width)};
  }
  const float part = old_width / (count * upsample);
  const float downsample = std::ceil((max - min) / (count * part));
  const float widened = no_contract(downsample * (count * part));
  return {min, max + (widened - (max - min)), downsample, std::nearbyint((old.min - min) / part)};
}

/// Calls add(i, value) for each new bin with what the old ones say of it. What lies beyond the last
/// bin by rounding is counted there. PyTorch writes all parts down and sums them up; here only the
/// sum runs: in double, but as float32 where the previous bin's is subtracted.
template <class Add>
void spread(std::span<const float> old, std::int64_t upsample, std::int64_t downsample,
            std::int64_t start, Add add) {
  double sum = 0.0;
  double sum_before = 0.0;
  std::size_t bin = 0;
  const std::size_t last = old.size() - 1;
  std::int64_t room = downsample;  // parts until the end of this new bin
  const auto finish_bin = [&] {
    add(bin, static_cast<float>((sum - sum_before) / static_cast<double>(upsample)));
    sum_before = static_cast<double>(static_cast<float>(sum));
    room = downsample;
    ++bin;
  };
  for (; start >= room && bin < last; start -= downsample) finish_bin();
  room -= start;
  for (const float value : old) {
    for (std::int64_t parts = upsample; parts > 0;) {
      const std::int64_t n = bin < last ? std::min(parts, room) : parts;
      if (value != 0.0F)
        for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(value);
      parts -= n;
      room -= n;
      if (room == 0 && bin < last) finish_bin();
    }
  }
  while (bin <= last) finish_bin();
}

}  // namespace ctq::observers
