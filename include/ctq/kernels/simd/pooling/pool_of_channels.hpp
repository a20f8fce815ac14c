// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/kernel_signature.hpp"

namespace ctq::kernels::simd {

/// A pool of at least `Channels`, a power of two: its code has registers of one width.
template <int Channels>
struct pool_of_channels : pool_shape {
  constexpr explicit pool_of_channels(const pool_shape& s) : pool_shape(s) {}
};

/// The most that is known of a pool: the channels that fill registers, up to the widest one of
/// bytes.
[[nodiscard]] constexpr int filled_lanes(int channels) {
  int lanes = 1;
  while (lanes < 64 && 2 * lanes <= channels) lanes *= 2;
  return lanes;
}

/// What a pool's channels are compared with: a constant, if they are known to be that many.
[[nodiscard]] constexpr int channels_of(const pool_shape& s) { return s.channels; }
template <int Channels>
[[nodiscard]] constexpr std::integral_constant<int, Channels> channels_of(
    const pool_of_channels<Channels>&) {
  return {};
}

}  // namespace ctq::kernels::simd
