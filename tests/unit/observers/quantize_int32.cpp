// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/quantize_int32.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

using namespace ctq;
using namespace ctq::observers;

namespace {

constexpr qparams half{0.5F, 7, INT32_MIN, INT32_MAX};

TEST_CASE("the zero point is added after rounding") {
  std::vector<std::int32_t> q(3);
  quantize(std::vector{0.25F, 0.75F, -10.0F}, half, q);
  CHECK(q == std::vector{7, 9, -13});
  std::vector<float> dq(3);
  dequantize(q, half, dq);
  CHECK(dq == std::vector{0.0F, 1.0F, -10.0F});
}

TEST_CASE("values beyond 32 bits saturate, NaN gives the zero point") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::vector<std::int32_t> q(5);
  quantize(std::vector{inf, -inf, 1e30F, -1e30F, std::numeric_limits<float>::quiet_NaN()}, half, q);
  CHECK(q == std::vector{INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 7});
}

TEST_CASE("for integers beyond 2^24 the zero point is lost in the float32 sum, as in PyTorch") {
  std::vector<std::int32_t> q(1);
  quantize(std::vector{0x1p29F}, half, q);
  CHECK(q[0] == 1 << 30);
}

}  // namespace
