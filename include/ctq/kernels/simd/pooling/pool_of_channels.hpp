// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"

namespace ctq::kernels::simd {

/// The shape of a pool whose type says that it has at least `Channels`, which is what filled_lanes
/// gives: its code has registers of one width.
template <int Channels>
struct pool_of_channels : pool_shape {
  constexpr explicit pool_of_channels(const pool_shape& s) : pool_shape(s) {}
};

/// The largest power of two up to `channels`, at most 64, the bytes of the widest register. All
/// that the choice of a width asks of the channels follows from it.
[[nodiscard]] constexpr int filled_lanes(int channels) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(channels < 64 ? channels : 64)));
}

/// The channels of a pool, to be compared with powers of two up to 64: a constant if its type says
/// how many there are at least.
[[nodiscard]] constexpr int channels_of(const pool_shape& s) { return s.channels; }
template <int Channels>
[[nodiscard]] constexpr std::integral_constant<int, Channels> channels_of(
    const pool_of_channels<Channels>&) {
  return {};
}

}  // namespace ctq::kernels::simd
