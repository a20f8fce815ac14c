// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/fake_quantize.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

using namespace ctq;
using observers::fake_quantize;
using observers::fake_quantize_gradient;
using observers::per_channel_qparams;
using observers::real_qparams;

TEST_CASE("fake quantize rounds to even and saturates") {
  const std::vector<float> in{0.5F, 1.5F, 2.5F, -0.5F, -11.0F, 300.0F};
  std::vector<float> out(in.size());
  fake_quantize(in, {1.0F, 10, 0, 255}, out);
  CHECK(out == std::vector{0.0F, 2.0F, 2.0F, 0.0F, -10.0F, 245.0F});
}

TEST_CASE("the zero point is added after rounding") {
  const std::vector<float> in{0.5F};
  std::vector<float> out(1);
  fake_quantize(in, {1.0F, 1, 0, 255}, out);  // rne(0.5 + 1) - 1 would be 1
  CHECK(out[0] == 0.0F);
}

TEST_CASE("infinities give the bounds, NaN gives 0") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::vector<float> x{inf, -inf, std::numeric_limits<float>::quiet_NaN(), 3e38F};
  fake_quantize(x, {0.5F, 0, -128, 127}, x);
  CHECK(x == std::vector{63.5F, -64.0F, 0.0F, 63.5F});
}

TEST_CASE("32-bit ranges do not overflow") {
  std::vector<float> x{1e10F, -7.0F};
  fake_quantize(x, {1.0F, 5, INT32_MIN, INT32_MAX}, x);
  CHECK(x == std::vector{0x1p31F, -7.0F});
}

TEST_CASE("the gradient is passed through except where values saturate") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> in{-10.5F, -10.6F, 0.0F, 245.5F, 244.5F, inf, -inf, nan, 3e38F};
  const std::vector<float> grad{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<float> out(in.size());
  fake_quantize_gradient(in, {1.0F, 10, 0, 255}, grad, out);  // ties go to -10, 246 and 244
  CHECK(out == std::vector<float>{1, 0, 3, 0, 5, 0, 0, 0, 0});
}

TEST_CASE("a float zero point is added before rounding, and is not lost in float32") {
  const std::vector<float> in{0.3F, -0.3F, 100.0F, std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> out(in.size());
  const real_qparams p{0.5F, 0.25F, 0, 15};
  fake_quantize(in, p, out);  // 0.85 and -0.35 round to 1 and 0
  CHECK(out == std::vector{0.375F, -0.125F, 7.375F, 0.0F});
  std::vector<float> grad(4, 1.0F);
  fake_quantize_gradient(in, p, grad, grad);
  CHECK(grad == std::vector{1.0F, 1.0F, 0.0F, 0.0F});
}

TEST_CASE("per channel, each slice has its parameters") {
  const std::vector<float> in{1.2F, 1.2F, 1.2F, 1.2F};
  std::vector<float> out(4);
  const per_channel_qparams p{{1.0F, 0.5F}, {0, 3}, {}, -128, 127, 1};
  fake_quantize(in, shape(2, 2), p, out);
  CHECK(out == std::vector{1.0F, 1.0F, 1.0F, 1.0F});
  const per_channel_qparams rows{{1.0F, 0.25F}, {0, 3}, {}, -128, 127, 0};
  fake_quantize(in, shape(2, 2), rows, out);
  CHECK(out == std::vector{1.0F, 1.0F, 1.25F, 1.25F});
  const per_channel_qparams real{{1.0F, 0.25F}, {}, {0.0F, 0.5F}, -128, 127, 0};
  fake_quantize(in, shape(2, 2), real, out);
  CHECK(out == std::vector{1.0F, 1.0F, 1.125F, 1.125F});
  const per_channel_qparams narrow{{1.0F, 0.25F}, {0, 0}, {}, -1, 1, 0};
  std::vector<float> grad{1, 2, 3, 4};
  observers::fake_quantize_gradient(in, shape(2, 2), narrow, grad, grad);
  CHECK(grad == std::vector<float>{1, 2, 0, 0});
  CHECK(observers::fits(narrow, shape(2, 5)));
  CHECK(!observers::fits(narrow, shape(3, 2)));
  CHECK(!observers::fits({{1.0F}, {0}, {}, 0, 255, 2}, shape(3, 2)));
}

}  // namespace
