// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/fixed_point_sum.hpp"

#include <doctest/doctest.h>

#include "ctq/kernels/reference/binary_add.hpp"
#include "kernels/generator.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr simd::fixed_point_sum sum_of(const qparams& a, const qparams& b, const qparams& out) {
  return {a.scale, a.zero_point, b.scale, b.zero_point, quantizer_of(out), out.zero_point};
}

constexpr qparams a_q{0.05F, 117, 0, 255}, b_q{0.03F, 100, 0, 255}, out_q{0.07F, 128, 0, 255};
static_assert(sum_of(a_q, b_q, out_q).usable());
static_assert(sum_of(a_q, b_q, out_q).fraction - sum_of(a_q, b_q, out_q).near_bits >= 11);
static_assert(!sum_of({1e6F, 0, 0, 255}, b_q, {1.0F, 0, 0, 255}).usable());

/// Over all pairs: the number of sums close to a tie, and of wrong ones among the others.
struct count {
  int near = 0, wrong = 0;
  count(const qparams& a, const qparams& b, const qparams& out) {
    const simd::fixed_point_sum s = sum_of(a, b, out);
    for (int x = 0; x < 256; ++x) {
      for (int y = 0; y < 256; ++y) {
        const auto i = static_cast<std::uint8_t>(x), j = static_cast<std::uint8_t>(y);
        const std::int32_t sum = s.start * 256 + x * s.multiplier_a + y * s.multiplier_b;
        const auto expected =
            reference::quantize<std::uint8_t>(reference::binary_add(i, a, j, b), quantizer_of(out));
        const int q = std::min(std::max(sum >> s.fraction, 0), 255);
        if ((sum & s.safe_bits()) == 0) {
          ++near;
        } else {
          wrong += q != expected;
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("a fixed-point sum that is not close to a tie equals the float result") {
  samples::generator random(1);
  const auto zero_point = [&] { return static_cast<int>(random() % 256); };
  const auto scale = [&] { return 0.001F * static_cast<float>(1 + random() % 3000); };
  int usable = 0;
  for (int turn = 0; turn < 40; ++turn) {
    const qparams a{scale(), zero_point(), 0, 255}, b{scale(), zero_point(), 0, 255};
    const qparams out{scale(), zero_point(), 0, 255};
    if (!sum_of(a, b, out).usable()) continue;
    ++usable;
    CHECK(count(a, b, out).wrong == 0);
  }
  CHECK(usable > 20);
}

TEST_CASE("few sums are close to a tie, unless the scales are in a simple ratio") {
  CHECK(count(a_q, b_q, out_q).near < 65536 / 1000);
  const qparams whole{1.0F, 100, 0, 255}, two{2.0F, 100, 0, 255};
  CHECK(count(whole, whole, two).near > 65536 / 4);
  CHECK(count(whole, whole, two).wrong == 0);
}
