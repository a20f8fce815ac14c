// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/kernels/pool_window.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// A window of 2x2 has four taps, and a loop over so few costs more than what it does: pools compute
// four registers of outputs at a time, of one window, of two, or of four.

namespace ctq::kernels::simd {

inline constexpr int registers_of_a_group = 4;

/// Where the registers of a group begin: their first taps, and their outputs. Some may be the same.
struct window_group {
  std::ptrdiff_t in[registers_of_a_group], out[registers_of_a_group];
};

/// How many registers of a window are in a group, as a power of two: the one that takes fewest
/// groups for `count` windows of so many registers.
[[nodiscard, gnu::always_inline]] constexpr int registers_at_once(int registers,
                                                                  int count) noexcept {
  int best = 2;
  int fewest = ((registers + 3) >> 2) * count;
  for (int log = 1; log >= 0; --log) {
    const int groups =
        ((registers + (1 << log) - 1) >> log) * ((count + (4 >> log) - 1) / (4 >> log));
    if (groups < fewest) {
      best = log;
      fewest = groups;
    }
  }
  return best;
}

/// Calls visit(window_group) until all channels of `count` windows are covered, whose inputs are
/// `step` elements apart.
/// Requires  at least Lanes channels, the elements of a register
template <int Lanes, class Visit>
[[gnu::always_inline]] inline void for_each_group(const pool_window& w, int count, int channels,
                                                  std::ptrdiff_t step, Visit visit) noexcept {
  const int registers = (channels + Lanes - 1) / Lanes, last = channels - Lanes;
  const int log = registers_at_once(registers, count);
  const int each = 1 << log, windows = registers_of_a_group >> log;
  for (int first = 0; first < count; first += windows)
    for (int at = 0; at < registers; at += each) {
      window_group g;
      unroll<registers_of_a_group>([&](auto k) __attribute__((always_inline)) {
        const int window = first + (k >> log) < count ? first + (k >> log) : count - 1;
        const int lane = (at + (k & (each - 1))) * Lanes;
        const int channel = lane < last ? lane : last;
        g.in[k] = w.in + window * step + channel;
        g.out[k] = w.out + static_cast<std::ptrdiff_t>(window) * channels + channel;
      });
      visit(g);
    }
}

}  // namespace ctq::kernels::simd
