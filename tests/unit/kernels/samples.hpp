// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "ctq/core/qparams.hpp"
#include "fenced.hpp"
#include "generator.hpp"

// Operands for the tests of kernels: random values and edge cases from fixed seeds.

namespace samples {

/// An output of n elements after a margin, at the end of accessible memory, misaligned by a few
/// bytes.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t n) : bytes_(margin + n * sizeof(T)), n_(n) {}
  explicit guarded(const std::vector<T>& values) : guarded(values.size()) {
    if (n_ > 0) std::memcpy(data(), values.data(), n_ * sizeof(T));
  }

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(bytes_.data() + margin); }
  [[nodiscard]] bool margin_intact() const {
    return std::all_of(bytes_.data(), bytes_.data() + margin,
                       [](unsigned char byte) { return byte == fenced_bytes::rubbish; });
  }
  /// The same bits, including NaN, and nothing written before them.
  [[nodiscard]] bool holds(const std::vector<T>& expected) const {
    return expected.size() == n_ && margin_intact() &&
           (n_ == 0 || std::memcmp(data(), expected.data(), n_ * sizeof(T)) == 0);
  }

 private:
  static constexpr std::size_t margin = 68;
  fenced_bytes bytes_;
  std::size_t n_;
};

/// The number of seeds, each for `cases` random cases of a kernel: a few, or as many as CTQ_CASES
/// cases need, which is set in the long run, and with sanitizers.
inline unsigned seeds(unsigned few, unsigned cases = 1) {
  const char* const asked = std::getenv("CTQ_CASES");
  if (asked == nullptr) return few;
  return std::max(1U, (static_cast<unsigned>(std::atoi(asked)) + cases - 1) / cases);
}

/// Calls check(random, seed) for 1 to `count`.
template <class Check>
void for_each_seed(unsigned count, Check check) {
  for (unsigned seed = 1; seed <= count; ++seed) {
    CAPTURE(seed);
    generator random(seed);
    check(random, seed);
  }
}

/// Random valid scale, zero point and range.
template <class Q>
ctq::qparams random_qparams(generator& random) {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const auto up_to = [&](unsigned n) { return static_cast<int>(random() % n); };
  const float scale = std::ldexp(1.0F + static_cast<float>(up_to(1 << 20)) * 0x1p-20F,
                                 up_to(8) == 0 ? up_to(60) - 30 : up_to(8) - 6);
  const bool whole = up_to(4) > 0;
  const int first = whole ? lo : lo + up_to(100);
  const int last = whole ? lo + 255 : first + 1 + up_to(static_cast<unsigned>(lo + 255 - first));
  return {scale, first + up_to(static_cast<unsigned>(last - first + 1)), first, last};
}

template <class Q>
std::vector<Q> integers(std::size_t n, unsigned seed) {
  generator random(seed);
  std::vector<Q> out(n);
  for (Q& q : out) q = static_cast<Q>(random() & 0xFF);
  return out;
}

/// Values of up to a few hundred times the scale, ties between two integers, and NaN.
inline std::vector<float> floats(std::size_t n, unsigned seed, float step = 1.0F) {
  generator random(seed);
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float awkward[] = {
      0.0F,    -0.0F,   inf,     -inf,    std::numeric_limits<float>::quiet_NaN(),
      1e30F,   -1e30F,  1e-40F,  0x1p31F, -0x1p31F,
      0x1p23F, 3.4e38F, -3.4e38F};
  std::vector<float> out(n);
  for (float& x : out) {
    const auto bits = random();
    const float k = static_cast<float>(static_cast<int>(bits >> 8 & 1023) - 512);
    switch (bits & 7) {
      case 0: x = awkward[(bits >> 8) % std::size(awkward)]; break;
      case 1:
      case 2: x = (k + 0.5F) * step; break;
      case 3: x = k * step; break;
      default: x = k * step * (static_cast<float>(random() >> 8) * 0x1p-24F);
    }
  }
  return out;
}

/// Floats whose sums are finite: no special values.
inline std::vector<float> plain_floats(std::size_t n, unsigned seed) {
  generator random(seed);
  std::vector<float> out(n);
  for (float& x : out)
    x = static_cast<float>(static_cast<int>(random() >> 8) - (1 << 23)) * 0x1p-18F;
  return out;
}

/// Zero points at the bounds and in the middle, full and reduced ranges, scales from tiny to large.
template <class Q>
std::vector<ctq::qparams> qparams() {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  constexpr int hi = std::numeric_limits<Q>::max();
  return {{0.05F, lo, lo, hi},
          {0.037F, hi, lo, hi},
          {1.0F, 0, lo, hi},
          {0.5F, lo + 100, lo, hi},
          {0x1p-12F, lo + 64, lo, lo + 127},
          {3.3e-5F, lo + 7, lo + 1, hi - 1},
          {117.3F, hi - 3, lo, hi},
          {0x1p-126F, lo + 128, lo, hi},
          {0x1p118F, lo + 128, lo, hi}};
}

/// Every length at which a register or a tail of some instruction set begins or ends.
inline std::vector<int> lengths() {
  std::vector<int> out;
  for (int n = 0; n <= 70; ++n) out.push_back(n);
  for (int n : {95, 96, 97, 127, 128, 129, 191, 193, 256, 300, 784}) out.push_back(n);
  return out;
}

}  // namespace samples
