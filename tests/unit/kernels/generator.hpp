// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

// Random numbers for the tests of kernels.

namespace samples {

/// 32-bit random numbers. Unlike std::mt19937 it is cheap to seed; each case seeds one, often for a
/// few numbers.
/// Source  Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014 (SplitMix64)
class generator {
 public:
  explicit constexpr generator(unsigned seed) : state_(seed) {}

  constexpr std::uint32_t operator()() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return static_cast<std::uint32_t>((z ^ z >> 31) >> 32);
  }
  /// Uniform in [lo, hi].
  constexpr int between(int lo, int hi) {
    return lo + static_cast<int>((*this)() % static_cast<std::uint32_t>(hi - lo + 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace samples
