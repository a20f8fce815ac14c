// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "ctq/core/qparams.hpp"

// Operands for the tests of kernels: random and awkward numbers from fixed seeds, and memory that
// notices writes beside it.

namespace samples {

/// An output of n elements between two margins. Exactly as large as needed, so that a sanitizer
/// sees reads and writes past its ends, and wrong by a few bytes of alignment.
template <class T>
class guarded {
 public:
  explicit guarded(std::size_t n) : bytes_(n * sizeof(T) + 2 * margin, mark), n_(n) {}
  explicit guarded(const std::vector<T>& values) : guarded(values.size()) {
    if (n_ > 0) std::memcpy(bytes_.data() + margin, values.data(), n_ * sizeof(T));
  }

  T* data() { return reinterpret_cast<T*>(bytes_.data() + margin); }
  [[nodiscard]] bool margins_intact() const {
    for (std::size_t i = 0; i < margin; ++i) {
      if (bytes_[i] != mark || bytes_[bytes_.size() - 1 - i] != mark) return false;
    }
    return true;
  }
  /// The same bits, NaNs included, and nothing written beside them.
  [[nodiscard]] bool holds(const std::vector<T>& expected) const {
    return expected.size() == n_ && margins_intact() &&
           (n_ == 0 || std::memcmp(bytes_.data() + margin, expected.data(), n_ * sizeof(T)) == 0);
  }

 private:
  static constexpr std::size_t margin = 68;
  static constexpr unsigned char mark = 0xA5;
  std::vector<unsigned char> bytes_;
  std::size_t n_;
};

template <class Q>
std::vector<Q> integers(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Q> out(n);
  for (Q& q : out) q = static_cast<Q>(random() & 0xFF);
  return out;
}

/// Numbers of the size of a few hundred steps, ties between two steps, and what is not a number.
inline std::vector<float> floats(std::size_t n, unsigned seed, float step = 1.0F) {
  std::mt19937 random(seed);
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

/// Floats whose sums stay finite: no special values.
inline std::vector<float> plain_floats(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> out(n);
  for (float& x : out)
    x = static_cast<float>(static_cast<int>(random() >> 8) - (1 << 23)) * 0x1p-18F;
  return out;
}

/// Zero points at the ends and in the middle, whole and reduced ranges, scales from tiny to large.
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

/// Every length at which a block or a tail of some instruction set begins or ends.
inline std::vector<int> lengths() {
  std::vector<int> out;
  for (int n = 0; n <= 70; ++n) out.push_back(n);
  for (int n : {95, 96, 97, 127, 128, 129, 191, 193, 256, 300, 784}) out.push_back(n);
  return out;
}

}  // namespace samples
