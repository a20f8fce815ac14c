// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "ctq/kernels/requantization.hpp"

// Operands for the tests of conv2d and linear.

namespace samples {

/// Memory as the kernels want theirs: aligned to 64, exactly as large as they said, full of
/// rubbish.
class aligned_bytes {
 public:
  explicit aligned_bytes(std::size_t n)
      : bytes_(static_cast<std::byte*>(::operator new (n, std::align_val_t{64}))) {
    std::fill_n(bytes_.get(), n, std::byte{0xA5});
  }
  [[nodiscard]] std::byte* data() const { return bytes_.get(); }

 private:
  struct release {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, release> bytes_;
};

enum class values { random, extreme };

/// What a layer of `outputs` channels does to its sums.
struct epilogue {
  std::vector<std::int32_t> bias;
  std::vector<float> multiplier;
  ctq::kernels::output_steps to;

  [[nodiscard]] ctq::kernels::requantization requantization() const {
    return {multiplier.data(), to.zero_point, to.lo, to.hi};
  }
};

/// Multipliers that make ties, that saturate, and that spread sums of `terms` products over the
/// output; biases from small to such that the sum wraps; zero points and bounds at both ends.
template <class Out>
epilogue random_epilogue(int outputs, int terms, std::mt19937& random) {
  constexpr int lowest = std::numeric_limits<Out>::lowest();
  const auto up_to = [&](unsigned n) { return static_cast<int>(random() % n); };
  epilogue e;
  for (int i = 0; i < outputs; ++i) {
    const float spread = 1.0F / (40.0F * std::sqrt(static_cast<float>(terms + 1)));
    const float multipliers[] = {0.5F, 0.25F, 0.9F, spread, spread, 0x1p-30F};
    e.multiplier.push_back(multipliers[up_to(6)]);
    const std::int32_t biases[] = {up_to(2000) - 1000, up_to(200000) - 100000, 1,
                                   std::numeric_limits<std::int32_t>::max() - up_to(1000)};
    e.bias.push_back(biases[up_to(16) == 0 ? 3 : up_to(3)]);
  }
  const int zero_points[] = {0, 255, 128, up_to(256)};
  e.to.zero_point = lowest + zero_points[up_to(4)];
  const bool relu = up_to(3) == 0;
  e.to.lo = relu ? e.to.zero_point : lowest + up_to(2) * up_to(20);
  e.to.hi = std::max(e.to.lo, lowest + 255 - up_to(2) * up_to(20));
  return e;
}

/// Steps of the whole range, or only its ends.
template <class Q>
std::vector<Q> steps(std::size_t n, values kind, std::mt19937& random) {
  std::vector<Q> out(n);
  for (Q& q : out) {
    q = static_cast<Q>(random() & 0xFF);
    if (kind == values::extreme) {
      q = random() % 4 == 0 ? std::numeric_limits<Q>::lowest() : std::numeric_limits<Q>::max();
    }
  }
  return out;
}

/// In (-2, 2). Whole numbers keep every sum exact, so that fma or not makes no difference.
inline std::vector<float> reals(std::size_t n, bool whole, std::mt19937& random) {
  std::vector<float> out(n);
  for (float& x : out) {
    const auto bits = static_cast<std::int32_t>(random());
    x = whole ? static_cast<float>(bits % 8) : static_cast<float>(bits >> 8) * 0x1p-22F;
  }
  return out;
}

/// The same bits, or both NaN: which NaN an fma gives differs between machines.
inline bool same(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

inline bool same(const std::vector<float>& a, const float* b) {
  return std::equal(a.begin(), a.end(), b, [](float x, float y) { return same(x, y); });
}

}  // namespace samples
