// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/gelu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

using namespace ctq::descriptors::functions;

TEST_CASE("GELU is within 2^-24 of x or of 1") {
  for (int i = -12288; i <= 12288; ++i) {
    const float x = static_cast<float>(i) / 1024.0F;
    const double wanted =
        static_cast<double>(x) / 2 * std::erfc(static_cast<double>(-x) / std::sqrt(2.0));
    CAPTURE(x);
    CHECK(std::abs(static_cast<double>(gelu(x)) - wanted) <=
          0x1.1p-24 * std::fmax(1, std::abs(wanted)));
  }
}

TEST_CASE("GELU of numbers that are large, infinite or none is as in PyTorch") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float most = std::numeric_limits<float>::max();
  CHECK(gelu(30.0F) == 30.0F);
  CHECK(gelu(-30.0F) == 0.0F);
  CHECK(gelu(most) == most);
  CHECK(gelu(-most) == 0.0F);
  CHECK(gelu(infinity) == infinity);
  CHECK(std::isnan(gelu(-infinity)));
  CHECK(std::isnan(gelu(std::numeric_limits<float>::quiet_NaN())));
  CHECK((gelu(-0.0F) == 0.0F && std::signbit(gelu(-0.0F))));
}

TEST_CASE("rows of any length have the bits of their numbers, in place, too") {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 31U}) {
    std::vector<float> x(count), y(count + 1, -1.0F);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 37 % 101) / 16.0F - 3.0F;
    gelu_of_row<ctq::isa::native>(x.data(), count, y.data());
    std::vector<float> narrow = x;
    gelu_of_row<ctq::isa::scalar>(narrow.data(), count, narrow.data());
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(y[i] == gelu(x[i]));
      CHECK(narrow[i] == y[i]);
    }
    CHECK(y[count] == -1.0F);
  }
}
