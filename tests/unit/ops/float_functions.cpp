// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/float_functions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// What the op makes of x.
template <class Op>
float of(const Op& op, float x, const typename Op::options& o = {}) {
  float out = 0;
  op.id()->descriptor->functions.apply({.in = {{&x, {1}}}, .out = {&out, {1}}}, attributes{o});
  return out;
}
template <class Op>
float of_two(const Op& op, float x, float y) {
  float out = 0;
  op.id()->descriptor->functions.apply({.in = {{&x, {1}}, {&y, {1}}}, .out = {&out, {1}}}, {});
  return out;
}

/// What the shape rule says: the shape, or words.
struct answer {
  shape out{};
  attributes options{};
  diagnostic problem{};
};
template <class Op>
constexpr answer rule(const Op& op, view<shape> in, const typename Op::options& o = {}) {
  answer a{.options = attributes{o}};
  a.out = op.id()->descriptor->infer_shape(in, a.options, a.problem);
  return a;
}
template <class Op>
constexpr shape shape_by(const Op& op, const shape& in, const typename Op::options& o = {}) {
  return rule(op, {&in, 1}, o).out;
}
template <class Op>
constexpr bool refuses(const Op& op, const shape& in, const typename Op::options& o = {}) {
  return rule(op, {&in, 1}, o).problem.any();
}

/// What a function of a matrix gives.
template <class Op>
std::vector<float> of_matrix(const Op& op, const typename Op::options& o = {}) {
  const float x[] = {1, -2, 3, 0.5F, 2, 0, -1, 4};
  const shape in{2, 4};
  const answer a = rule(op, {&in, 1}, o);
  std::vector<float> out(numel(a.out));
  op.id()->descriptor->functions.apply({.in = {{x, in}}, .out = {out.data(), a.out}}, a.options);
  return out;
}

void check_near(const std::vector<float>& got, const std::vector<double>& wanted) {
  REQUIRE(got.size() == wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(static_cast<double>(got[i]) == doctest::Approx(wanted[i]).epsilon(1e-6));
}

static_assert(shape_by(fn::glu, {2, 6, 3}, {.dim = 1}) == shape{2, 3, 3});
static_assert(shape_by(nn::glu, {2, 4}) == shape{2, 2});
static_assert(refuses(fn::glu, {2, 3}) && refuses(fn::glu, {2, 4}, {.dim = 2}));
static_assert(shape_by(fn::normalize, {2, 5}) == shape{2, 5});
static_assert(refuses(fn::normalize, {5}) && refuses(fn::normalize, {2, 5}, {.p = 3}));
static_assert(shape_by(fn::var, {2, 3, 4}, {.dim = {-1}}) == shape{2, 3});
static_assert(shape_by(method::std, {2, 3, 4}, {.dim = {0, 2}, .keepdim = true}) == shape{1, 3, 1});
static_assert(shape_by(method::norm, {2, 3}, {.p = 1, .dim = {1}}) == shape{2});
static_assert(refuses(fn::norm, {2, 3}, {.p = 4}) && refuses(fn::std, {2, 3}, {.dim = {2}}));
constexpr shape equal[] = {{2, 3}, {2, 3}};
constexpr shape broadcast[] = {{2, 3}, {3}};
static_assert(rule(fn::maximum, {equal, 2}).out == shape{2, 3});
static_assert(rule(fn::maximum, {broadcast, 2}).problem.any());
static_assert(rule(fn::minimum, {equal, 1}).problem.any());

}  // namespace

TEST_CASE("functions of one number have PyTorch's values") {
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-6); };
  CHECK(of(nn::celu, 2.0F) == 2.0F);
  CHECK(of(fn::celu, -0.5F, {.alpha = 2.0F}) == near(-0.44239843));
  CHECK(of(nn::softsign, 2.0F) == near(0.66666669));
  CHECK(of(fn::softsign, -0.5F) == near(-0.33333334));
  CHECK(of(fn::clip, 3.0F, {.max = 2.0F}) == 2.0F);
  CHECK(of(fn::sin, 2.0F) == near(0.90929741));
  CHECK(of(method::cos, -0.5F) == near(0.87758255));
  CHECK(of(fn::erf, -0.5F) == near(-0.52049989));
  CHECK(of(fn::log1p, 2.0F) == near(1.09861231));
  CHECK(of(fn::reciprocal, -0.5F) == -2.0F);
  CHECK(of(fn::floor, -1.5F) == -2.0F);
  CHECK(of(fn::relu_, -1.5F) == 0.0F);
  CHECK(of(method::square, -1.5F) == 2.25F);
  CHECK(of(method::rsqrt, 4.0F) == 0.5F);
}

TEST_CASE("ties are rounded to even, and zero and NaN have no sign") {
  CHECK(of(fn::round, 0.5F) == 0.0F);
  CHECK(of(fn::round, 1.5F) == 2.0F);
  CHECK(of(fn::round, -2.5F) == -2.0F);
  CHECK(of(fn::sign, -3.0F) == -1.0F);
  CHECK(of(fn::sign, 0.0F) == 0.0F);
  CHECK(of(fn::sign, not_a_number) == 0.0F);
}

TEST_CASE("the larger of two numbers, and the smaller one, are NaN where one is") {
  CHECK(of_two(fn::maximum, 1.0F, 2.0F) == 2.0F);
  CHECK(of_two(fn::minimum, 1.0F, 2.0F) == 1.0F);
  CHECK(std::isnan(of_two(fn::maximum, not_a_number, 2.0F)));
  CHECK(std::isnan(of_two(fn::maximum, 1.0F, not_a_number)));
  CHECK(std::isnan(of_two(fn::minimum, not_a_number, 2.0F)));
  CHECK(std::isnan(of_two(fn::minimum, 1.0F, not_a_number)));
}

TEST_CASE("a gated linear unit gates one half of an axis with the other") {
  check_near(of_matrix(fn::glu, {.dim = 0}), {0.88079709, -1.0, 0.80682433, 0.49100690});
  check_near(of_matrix(nn::glu), {0.95257413, -1.24491870, 0.53788286, 0.0});
}

TEST_CASE("normalize divides by the norm along an axis") {
  check_near(of_matrix(fn::normalize), {0.26490647, -0.52981293, 0.79471940, 0.13245323,  //
                                        0.43643579, 0.0, -0.21821789, 0.87287158});
  check_near(of_matrix(fn::normalize, {.p = 1, .dim = 0}),
             {0.33333334, -1.0, 0.75, 0.11111111, 0.66666669, 0.0, -0.25, 0.88888890});
  // A norm below eps is eps.
  check_near(of_matrix(fn::normalize, {.eps = 10}), {0.1, -0.2, 0.3, 0.05, 0.2, 0.0, -0.1, 0.4});
}

TEST_CASE("variances and norms are those of the elements along the axes") {
  check_near(of_matrix(fn::var, {.dim = {1}}), {4.22916651, 4.91666651});
  check_near(of_matrix(method::std, {.dim = {0}, .unbiased = false}), {0.5, 1.0, 2.0, 1.75});
  check_near(of_matrix(method::var), {4.03125});
  check_near(of_matrix(fn::norm, {.dim = {1}}), {3.77491713, 4.58257580});
  check_near(of_matrix(fn::norm, {.p = 1, .dim = {0}, .keepdim = true}), {3.0, 2.0, 4.0, 4.5});
}
