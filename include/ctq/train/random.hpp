// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

// Pseudo-random numbers for training: the same on every machine, for the same seed.

namespace ctq::training {

/// SplitMix64. Not for cryptography.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  /// The next 64 random bits.
  [[nodiscard]] std::uint64_t bits() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// From 0 to 1, excluding 1, in steps of 2^-24.
  [[nodiscard]] float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24F; }
  /// 0 to count - 1; the bias is at most count / 2^64.
  /// Requires  count > 0
  [[nodiscard]] std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(bits() % count);
  }

 private:
  std::uint64_t state_;
};

/// 0 to count - 1 in random order: the order of a data set in one epoch.
[[nodiscard]] inline std::vector<std::size_t> shuffled(std::size_t count, random_source& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace ctq::training
