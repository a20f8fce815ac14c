// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/activation_functions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

using namespace ctq::kernels;

namespace {

/// The largest difference from a formula in double between -10 and 10, in 2^-24 of 1 or of it.
template <class F>
double error(float (*f)(float), F formula) {
  double most = 0;
  for (int i = -10240; i <= 10240; ++i) {
    const float x = static_cast<float>(i) / 1024.0F;
    const double wanted = formula(static_cast<double>(x));
    const double off = std::abs(static_cast<double>(f(x)) - wanted);
    most = std::fmax(most, off / std::fmax(1, std::abs(wanted)));
  }
  return most * 0x1p24;
}

}  // namespace

TEST_CASE("functions of one number are as near as float32 gets in a few operations") {
  CHECK(error(functions::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }) < 4);
  CHECK(error(functions::silu, [](double x) { return x / (1 + std::exp(-x)); }) < 4);
  CHECK(error(functions::mish, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }) <
        4);
  CHECK(error(functions::log_sigmoid, [](double x) { return -std::log1p(std::exp(-x)); }) < 4);
  CHECK(error(functions::hardsigmoid,
              [](double x) { return std::fmin(std::fmax(x + 3, 0), 6) / 6; }) < 4);
  CHECK(error(functions::hardswish,
              [](double x) { return x * std::fmin(std::fmax(x + 3, 0), 6) / 6; }) < 4);
  CHECK(error(functions::gelu, [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }) <
        8);
  CHECK(error(functions::selu, [](double x) {
          return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
        }) < 4);
}

TEST_CASE("piecewise functions are exact where their pieces meet") {
  CHECK(functions::relu6(6.0F) == 6.0F);
  CHECK(functions::relu6(std::nextafter(6.0F, 7.0F)) == 6.0F);
  CHECK(functions::hardsigmoid(-3.0F) == 0.0F);
  CHECK(functions::hardsigmoid(3.0F) == 1.0F);
  CHECK(functions::hardswish(-3.0F) == 0.0F);
  CHECK(functions::hardswish(3.0F) == 3.0F);
  CHECK(functions::clamp(5.0F, 3.0F, 1.0F) == 1.0F);
  CHECK(functions::clamp(0.0F, 3.0F, 1.0F) == 1.0F);
}

TEST_CASE("NaN stays NaN, and no function of an infinity is one that should not be") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (float (*f)(float) :
       {functions::relu, functions::relu6, functions::hardsigmoid, functions::hardswish,
        functions::sigmoid, functions::tanh, functions::silu, functions::mish,
        functions::log_sigmoid, functions::gelu, functions::gelu_tanh, functions::selu})
    CHECK(std::isnan(f(nan)));
  CHECK(functions::sigmoid(-inf) == 0.0F);
  CHECK(functions::sigmoid(inf) == 1.0F);
  CHECK(functions::log_sigmoid(-inf) == -inf);
  CHECK(functions::log_sigmoid(inf) == 0.0F);
  CHECK(functions::silu(inf) == inf);
}
