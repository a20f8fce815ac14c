// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/pointwise.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "../calls.hpp"

using namespace ctq;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

constexpr shape equal[] = {{2, 3}, {2, 3}};
constexpr shape broadcast[] = {{2, 3}, {3}};
static_assert(answer_of(fn::maximum, {equal, 2}).out == shape{2, 3});
static_assert(answer_of(fn::maximum, {broadcast, 2}).problem.any());
static_assert(answer_of(fn::minimum, {equal, 1}).problem.any());

}  // namespace

TEST_CASE("functions of one number have PyTorch's values") {
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-6); };
  CHECK(value_of(fn::clip, 3.0F, {.max = 2.0F}) == 2.0F);
  CHECK(value_of(fn::sin, 2.0F) == near(0.90929741));
  CHECK(value_of(method::cos, -0.5F) == near(0.87758255));
  CHECK(value_of(fn::erf, -0.5F) == near(-0.52049989));
  CHECK(value_of(fn::log1p, 2.0F) == near(1.09861231));
  CHECK(value_of(fn::reciprocal, -0.5F) == -2.0F);
  CHECK(value_of(fn::floor, -1.5F) == -2.0F);
  CHECK(value_of(fn::expm1, -0.5F) == near(-0.39346934));
  CHECK(value_of(method::exp2, -0.5F) == near(0.70710678));
  CHECK(value_of(fn::log2, 0.25F) == -2.0F);
  CHECK(value_of(fn::log10, 2.0F) == near(0.30103000));
  CHECK(value_of(fn::tan, -0.5F) == near(-0.54630249));
  CHECK(value_of(fn::asin, -0.5F) == near(-0.52359878));
  CHECK(value_of(fn::acos, -0.5F) == near(2.09439510));
  CHECK(value_of(method::atan, -0.5F) == near(-0.46364761));
  CHECK(value_of(fn::sinh, -0.5F) == near(-0.52109531));
  CHECK(value_of(fn::cosh, -0.5F) == near(1.12762597));
  CHECK(value_of(fn::ceil, -1.5F) == -1.0F);
  CHECK(value_of(method::trunc, -1.5F) == -1.0F);
  CHECK(value_of(fn::frac, -1.75F) == -0.75F);
  CHECK(value_of(method::square, -1.5F) == 2.25F);
  CHECK(value_of(method::rsqrt, 4.0F) == 0.5F);
}

TEST_CASE("ties are rounded to even, and zero and NaN have no sign") {
  CHECK(value_of(fn::round, 0.5F) == 0.0F);
  CHECK(value_of(fn::round, 1.5F) == 2.0F);
  CHECK(value_of(fn::round, -2.5F) == -2.0F);
  CHECK(value_of(fn::sign, -3.0F) == -1.0F);
  CHECK(value_of(fn::sign, 0.0F) == 0.0F);
  CHECK(value_of(fn::sign, not_a_number) == 0.0F);
}

TEST_CASE("the larger of two numbers, and the smaller one, are NaN where one is") {
  CHECK(value_of_two(fn::maximum, 1.0F, 2.0F) == 2.0F);
  CHECK(value_of_two(fn::minimum, 1.0F, 2.0F) == 1.0F);
  CHECK(std::isnan(value_of_two(fn::maximum, not_a_number, 2.0F)));
  CHECK(std::isnan(value_of_two(fn::maximum, 1.0F, not_a_number)));
  CHECK(std::isnan(value_of_two(fn::minimum, not_a_number, 2.0F)));
  CHECK(std::isnan(value_of_two(fn::minimum, 1.0F, not_a_number)));
}
