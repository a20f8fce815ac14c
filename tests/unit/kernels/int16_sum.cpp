// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/int16_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/generator.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

int saturated(int x) { return std::clamp(x, -32768, 32767); }

/// The formula of the header, on 16-bit integers that saturate.
int sum_of(const int16_sum& s, int a, int b) {
  const auto part = [](int x, int multiplier) { return (x * 256 * multiplier + (1 << 14)) >> 15; };
  int sum = saturated(saturated(part(b, s.multiplier_b) + s.start) + part(a, s.multiplier_a));
  for (int i = s.fraction; i < 8; ++i) sum = saturated(2 * sum);
  return sum >> 8;
}

/// What steps of a and b add up to, in steps of the output.
double exact(const qparams& a_q, int a, const qparams& b_q, int b, const qparams& out) {
  return (static_cast<double>(a_q.scale) * (a - a_q.zero_point) +
          static_cast<double>(b_q.scale) * (b - b_q.zero_point)) /
             static_cast<double>(out.scale) +
         out.zero_point;
}

}  // namespace

TEST_CASE("a sum in 16 bits is at most one step away, of all pairs of numbers") {
  int usable = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    samples::generator random(seed);
    const auto some = [&] {
      return qparams{std::ldexp(1.0F + static_cast<float>(random.between(0, 999)) / 1000,
                                random.between(-9, -4)),
                     random.between(-128, 127), -128, 127};
    };
    const qparams a = some(), b = some(), out = some();
    const int16_sum s(a.scale, static_cast<int>(a.zero_point), b.scale,
                      static_cast<int>(b.zero_point), quantizer_of(out),
                      static_cast<int>(out.zero_point));
    if (!s.usable()) continue;
    ++usable;
    double most = 0;
    for (int x = -128; x < 128; ++x)
      for (int y = -128; y < 128; ++y) {
        const double wanted = std::clamp(exact(a, x, b, y, out), -128.0, 127.0);
        most = std::fmax(most, std::abs(sum_of(s, x, y) - wanted));
      }
    CAPTURE(seed);
    CHECK(most < 1);
  }
  CHECK(usable >= 20);
}

TEST_CASE("scales that are too far apart are not for 16 bits") {
  const quantizer to = quantizer_of({0.01F, 0, -128, 127});
  CHECK(int16_sum(0.01F, 0, 0.01F, 0, to, 0).usable());
  CHECK_FALSE(int16_sum(1.0F, 0, 0.01F, 0, to, 0).usable());
  CHECK_FALSE(int16_sum(0.01F, 0, 1e20F, 0, to, 0).usable());
}
