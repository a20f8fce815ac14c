// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"

namespace ctq::kernels::simd {

/// A pool_shape whose type tells filled_lanes(channels), so that a kernel for it is compiled for
/// registers of one width only.
template <int Channels>
struct pool_of_channels : pool_shape {
  constexpr explicit pool_of_channels(const pool_shape& s) : pool_shape(s) {}
};

/// The largest power of two up to `channels`, at most 64, the bytes of the widest register. The
/// choice of a register width depends on the channels only through this number.
[[nodiscard]] constexpr int filled_lanes(int channels) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(channels < 64 ? channels : 64)));
}

/// The channels of a pool, for comparison with powers of two up to 64; if the type of the shape
/// tells a lower bound, that bound as a constant.
[[nodiscard]] constexpr int channels_of(const pool_shape& s) { return s.channels; }
template <int Channels>
[[nodiscard]] constexpr std::integral_constant<int, Channels> channels_of(
    const pool_of_channels<Channels>&) {
  return {};
}

}  // namespace ctq::kernels::simd
