// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/rows/smooth_activations.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

using namespace ctq::descriptors::functions;

namespace {

// As ELU of alpha 0.5 and as CELU of alpha 2.
constexpr double_lanes::elu half_below{1.0, 0.5, 1.0};
constexpr double_lanes::elu divided{1.0, 2.0, 2.0};
float elu_half(float x) noexcept { return double_lanes::value_of(x, half_below); }
float celu_two(float x) noexcept { return double_lanes::value_of(x, divided); }

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float largest = std::numeric_limits<float>::max();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Within a unit of 2^-24 of the formula, or of 1.
template <class F>
void check_values(float (*function)(float), F formula) {
  for (int i = -12288; i <= 12288; ++i) {
    const float x = static_cast<float>(i) / 1024.0F;
    const double wanted = formula(static_cast<double>(x));
    CAPTURE(x);
    CHECK(std::abs(static_cast<double>(function(x)) - wanted) <=
          0x1.1p-24 * std::fmax(1, std::abs(wanted)));
  }
}

/// The bits of rows are those of numbers alone, in registers of any size, in place, too.
template <class Formula>
void check_rows(float (*function)(float), Formula f = {}) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 31U}) {
    std::vector<float> x(count), y(count + 1, -1.0F);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 37 % 101) / 8.0F - 6.5F;
    double_lanes::for_row<ctq::isa::native>(x.data(), count, y.data(), f);
    std::vector<float> narrow = x;
    double_lanes::for_row<ctq::isa::scalar>(narrow.data(), count, narrow.data(), f);
    for (std::size_t i = 0; i < count; ++i) {
      CHECK(y[i] == function(x[i]));
      CHECK(narrow[i] == y[i]);
    }
    CHECK(y[count] == -1.0F);
  }
}

}  // namespace

TEST_CASE("activations are as exact as a float can be") {
  check_values(gelu, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); });
  check_values(gelu_tanh, [](double x) {
    return x / 2 * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * (x + 0.044715 * x * x * x)));
  });
  check_values(silu, [](double x) { return x / (1 + std::exp(-x)); });
  check_values(sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
  check_values(tanh, [](double x) { return std::tanh(x); });
  check_values(mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); });
  check_values(elu_half, [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); });
  check_values(celu_two, [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); });
}

TEST_CASE("tanh, ELU and mish of small numbers have all digits") {
  for (float x = 1.0F; x > 1e-37F; x /= 3) {
    for (const float s : {x, -x}) {
      CAPTURE(s);
      const auto near = [](float y, double wanted) {
        return std::abs(static_cast<double>(y) / wanted - 1) < 0x1.1p-24;
      };
      const auto wide = static_cast<double>(s);
      CHECK(near(tanh(s), std::tanh(wide)));
      CHECK(near(mish(s), wide * std::tanh(std::log1p(std::exp(wide)))));
      CHECK(near(elu_half(s), s > 0 ? wide : 0.5 * std::expm1(wide)));
    }
  }
}

TEST_CASE("sigmoid, tanh, ELU and mish of large numbers are their limits") {
  for (const float large : {88.0F, 800.0F, largest, infinity}) {
    CAPTURE(large);
    CHECK(sigmoid(large) == 1.0F);
    CHECK(sigmoid(-large) == doctest::Approx(0.0));
    CHECK(tanh(large) == 1.0F);
    CHECK(tanh(-large) == -1.0F);
    CHECK(mish(large) == large);
    CHECK(elu_half(large) == large);
    CHECK(elu_half(-large) == -0.5F);
    CHECK(double_lanes::value_of(-large, double_lanes::elu{1.0, -1.0, -1.0}) < -1e37F);
  }
  CHECK(mish(-largest) == 0.0F);
  CHECK(sigmoid(-infinity) == 0.0F);
  for (float (*f)(float) : {sigmoid, tanh, mish, elu_half}) CHECK(std::isnan(f(not_a_number)));
}

TEST_CASE("numbers that are large, infinite or none are as in PyTorch") {
  for (float (*f)(float) : {gelu, gelu_tanh, silu}) {
    CHECK(f(30.0F) == 30.0F);
    CHECK(f(largest) == largest);
    CHECK(f(-largest) == 0.0F);
    CHECK(f(infinity) == infinity);
    CHECK(std::isnan(f(-infinity)));
    CHECK(std::isnan(f(not_a_number)));
    CHECK((f(-0.0F) == 0.0F && std::signbit(f(-0.0F))));
  }
}

TEST_CASE("rows of any length have the bits of their numbers") {
  check_rows<double_lanes::gelu>(gelu);
  check_rows<double_lanes::gelu_tanh>(gelu_tanh);
  check_rows<double_lanes::silu>(silu);
  check_rows<double_lanes::sigmoid>(sigmoid);
  check_rows<double_lanes::tanh>(tanh);
  check_rows<double_lanes::mish>(mish);
  check_rows(celu_two, divided);
}

TEST_CASE("exp of a row is relative to an origin") {
  const std::vector<float> x{3, 2.5F, -1, 3, -100, -infinity, 0, 1, not_a_number};
  std::vector<float> y(x.size());
  double_lanes::for_row<ctq::isa::native>(x.data(), x.size(), y.data(),
                                          double_lanes::exp_from{3.0F});
  CHECK((y[0] == 1.0F && y[3] == 1.0F && y[5] == 0.0F));
  for (std::size_t i = 0; i < 8; ++i) {
    const double wanted = std::exp(static_cast<double>(x[i]) - 3.0);
    CHECK(std::abs(static_cast<double>(y[i]) - wanted) <= 0x1.1p-24 * wanted + 0x1p-149);
  }
  CHECK(std::isnan(y[8]));
}
