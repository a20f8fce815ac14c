// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/exponential.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "ctq/kernels/exponential.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// The first lane of the registers.
template <class Isa>
float in_registers(float x) {
  if constexpr (vectorized<Isa>) {
    using floats = batch<Isa, float>;
    float lanes[floats::size];
    simd::exp_of_negative<Isa>(floats(x)).store_unaligned(lanes);
    return lanes[0];
  } else {
    return exp_of_negative(x);
  }
}

}  // namespace

TEST_CASE("exp is exact to two units in the last place, and the same in registers") {
  int wrong = 0;
  for (int i = 0; i <= 20000; ++i) {
    const float x = -static_cast<float>(i) * 0.0045F;
    const double exact = std::exp(static_cast<double>(x));
    const float y = exp_of_negative(x);
    const bool near = x > -126.5F * 0.6931472F
                          ? std::fabs(static_cast<double>(y) / exact - 1.0) < 2.4e-7
                          : y == 0.0F;
    wrong += near && in_registers<isa::native>(x) == y ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(exp_of_negative(0.0F) == 1.0F);
  CHECK(exp_of_negative(-std::numeric_limits<float>::infinity()) == 0.0F);
  CHECK(in_registers<isa::native>(-std::numeric_limits<float>::infinity()) == 0.0F);
  CHECK(std::isnan(exp_of_negative(std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::isnan(in_registers<isa::native>(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE("log is exact to 1e-9") {
  int wrong = 0;
  for (int i = 1; i <= 20000; ++i) {
    const double x = i * 0.37;
    const double exact = std::log(x);
    wrong += std::fabs(log_of_sum(x) - exact) < 1e-9 * (1.0 + std::fabs(exact)) ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(std::isnan(log_of_sum(std::numeric_limits<double>::quiet_NaN())));
}
