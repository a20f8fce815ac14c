// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/pool_window.hpp"

// A window of 2x2 has four taps, and a loop over so few costs more than its body. So pools compute
// four registers of outputs at a time: of one window, of two, or of four.

namespace ctq::kernels::simd {

inline constexpr int log2_of_group = 2;
inline constexpr int registers_of_a_group = 1 << log2_of_group;

/// Where the registers of a group begin: their first taps, and their outputs. Some may be the same.
struct window_group {
  std::ptrdiff_t in[registers_of_a_group], out[registers_of_a_group];
};

/// How many groups cover `count` windows of `registers` registers each, if a group has 2^log2
/// registers of each of its windows.
[[nodiscard, gnu::always_inline]] constexpr int groups_of(int registers, int count,
                                                          int log2) noexcept {
  const auto parts = [](int n, int shift) { return (n + (1 << shift) - 1) >> shift; };
  return parts(registers, log2) * parts(count, log2_of_group - log2);
}

/// The log2 that gives the fewest groups.
[[nodiscard, gnu::always_inline]] constexpr int best_log2(int registers, int count) noexcept {
  int best = log2_of_group;
  for (int log2 = log2_of_group - 1; log2 >= 0; --log2)
    if (groups_of(registers, count, log2) < groups_of(registers, count, best)) best = log2;
  return best;
}

/// Calls visit(window_group) until all channels of `count` windows are covered, whose inputs are
/// `stride` elements apart.
/// Requires  at least Lanes channels, the elements of a register
template <int Lanes, class Visit>
[[gnu::always_inline]] inline void for_each_group(const pool_window& w, int count, int channels,
                                                  std::ptrdiff_t stride, Visit visit) noexcept {
  const int registers = (channels + Lanes - 1) / Lanes, last = channels - Lanes;
  const int log2 = best_log2(registers, count);
  const int each = 1 << log2, windows = registers_of_a_group >> log2;
  for (int first = 0; first < count; first += windows)
    for (int at = 0; at < registers; at += each) {
      window_group g;
      unroll<registers_of_a_group>([&](auto k) __attribute__((always_inline)) {
        const int window = first + (k >> log2) < count ? first + (k >> log2) : count - 1;
        const int lane = (at + (k & (each - 1))) * Lanes;
        const int channel = lane < last ? lane : last;
        g.in[k] = w.in + window * stride + channel;
        g.out[k] = w.out + static_cast<std::ptrdiff_t>(window) * channels + channel;
      });
      visit(g);
    }
}

}  // namespace ctq::kernels::simd
