// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/xsimd.hpp"
#include "ctq/observers/aminmax.hpp"

// The bins of torch.histc.

namespace ctq::observers {

/// `bins` bins of equal width in [lo, hi]: bin of x = int((x - lo) / (hi - lo) * bins), float32
/// throughout. hi belongs to the last bin; elements outside are ignored.
struct histc_rule {
  float lo{};
  float hi{};
  float width{};
  float bins{};

  /// lo == hi selects the range of the data, widened by 1 at both ends if that is empty, too.
  /// Requires  bins <= 2²⁴, so that float32 represents the index
  [[nodiscard]] static histc_rule of(std::size_t bins, float lo, float hi,
                                     const extrema& range_of_data) {
    if (lo == hi) {
      lo = range_of_data.min;
      hi = range_of_data.max;
    }
    if (lo == hi) {
      lo -= 1.0F;
      hi += 1.0F;
    }
    return {lo, hi, hi - lo, static_cast<float>(bins)};
  }

  [[nodiscard]] std::size_t operator()(float x) const {
    if (!(x >= lo && x <= hi)) return static_cast<std::size_t>(bins);
    const float position = (x - lo) / width * bins;
    const float last = bins - 1.0F;
    return static_cast<std::size_t>(position < last ? position : last);
  }

  template <kernels::vectorized Isa>
  [[nodiscard, gnu::always_inline]] kernels::batch<Isa, std::int32_t> at(
      kernels::batch<Isa, float> x) const {
    using floats = kernels::batch<Isa, float>;
    const floats last(bins - 1.0F);
    floats position = kernels::simd::divide<Isa>(x - floats(lo), floats(width)) * floats(bins);
    position = xsimd::select(position < last, position, last);
    position = xsimd::select((x >= floats(lo)) & (x <= floats(hi)), position, floats(bins));
    return xsimd::to_int(position);
  }
};

}  // namespace ctq::observers
