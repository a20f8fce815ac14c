// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/masks.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "../calls.hpp"

using namespace ctq;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <class Op>
constexpr rule_answer answer(const Op& op, const shape& a, const shape& b) {
  const shape in[] = {a, b};
  return answer_of(op, {in, 2});
}
constexpr rule_answer of_where(const shape& mask, const shape& a, const shape& b) {
  const shape in[] = {mask, a, b};
  return answer_of(fn::where, {in, 3});
}

static_assert(answer(op::gt, {2, 1, 3}, {4, 1}).out == shape{2, 4, 3});
static_assert(answer(op::gt, {2, 3}, {2}).problem.any());
static_assert(answer(method::masked_fill, {2, 3}, {3}).out == shape{2, 3});
static_assert(answer(method::masked_fill, {2, 1}, {1, 3}).problem.any());
static_assert(answer(method::masked_fill, {3}, {2, 3})
                  .problem.message()
                  .starts_with("mask has more elements than the tensor\n"));
static_assert(answer(method::masked_fill, {2}, {3}).problem.any());
static_assert(of_where({2, 1}, {3}, {4, 1, 1}).out == shape{4, 2, 3});
static_assert(of_where({2, 1}, {3}, {4, 1, 1}).options.as<where_options>().shape_of_other ==
              shape{4, 1, 1});
static_assert(of_where({2}, {3}, {3}).problem.any());
static_assert(of_where({3}, {2}, {3}).problem.any());
static_assert(method::masked_fill_.id()->descriptor->changes_input);
static_assert(!method::masked_fill.id()->descriptor->changes_input);

/// Of values that are less, equal and greater.
template <class Op>
std::vector<float> compared(const Op& op) {
  const float x[] = {1, 2, 3, not_a_number}, y[] = {2, 2, 2, 2};
  std::vector<float> out(4);
  op.id()->descriptor->functions.apply({.in = {{x, {4}}, {y, {4}}}, .out = {out.data(), {4}}},
                                       attributes{});
  return out;
}
using values = std::vector<float>;

}  // namespace

TEST_CASE("a mask has 1 where the comparison holds, which it never does of NaN") {
  CHECK(compared(op::eq) == values{0, 1, 0, 0});
  CHECK(compared(op::ne) == values{1, 0, 1, 1});
  CHECK(compared(fn::lt) == values{1, 0, 0, 0});
  CHECK(compared(fn::le) == values{1, 1, 0, 0});
  CHECK(compared(method::gt) == values{0, 0, 1, 0});
  CHECK(compared(method::ge) == values{0, 1, 1, 0});
}

TEST_CASE("a tensor is compared with a number on either side") {
  CHECK(values_with_number(op::gt, {1, 2, 3}, {2, 2}) == values{0, 0, 1});
  CHECK(values_with_number(op::gt, {1, 2, 3}, {2, 1}) == values{1, 0, 0});
}

TEST_CASE("masks are combined") {
  CHECK(value_of_two(op::and_, 1, 1) == 1);
  CHECK(value_of_two(op::and_, 1, 0) == 0);
  CHECK(value_of_two(fn::logical_and, 0, 2) == 0);
  CHECK(value_of_two(op::or_, 0, 1) == 1);
  CHECK(value_of_two(fn::logical_or, 0, 0) == 0);
  CHECK(value_of_two(fn::logical_or, -1, 0) == 1);
  CHECK(value_of(op::invert, 0) == 1);
  CHECK(value_of(fn::logical_not, 2) == 0);
}

TEST_CASE("both operands of a comparison broadcast") {
  const float x[] = {1, 5}, y[] = {0, 3, 6};
  std::vector<float> out(6);
  op::lt.id()->descriptor->functions.apply(
      {.in = {{x, {2, 1}}, {y, {3}}}, .out = {out.data(), {2, 3}}}, attributes{});
  CHECK(out == values{0, 1, 1, 0, 0, 1});
}

TEST_CASE("masked_fill writes the number where the mask is not 0, or where it is") {
  const float x[] = {1, 2, 3, 4}, mask[] = {0, 1};
  const auto run = [&](const masked_fill_options& o) {
    std::vector<float> out(4);
    method::masked_fill.id()->descriptor->functions.apply(
        {.in = {{x, {2, 2}}, {mask, {2}}}, .out = {out.data(), {2, 2}}}, attributes{o});
    return out;
  };
  CHECK(run({.value = -infinity}) == values{1, -infinity, 3, -infinity});
  CHECK(run({.value = 9, .unless = true}) == values{9, 2, 9, 4});
}

TEST_CASE("where chooses between two tensors, all of which broadcast") {
  const float mask[] = {0, 1}, a[] = {1, 2, 3}, b[] = {-1, -2};
  const rule_answer by_rule = of_where({2, 1}, {3}, {2, 1});
  std::vector<float> out(6);
  fn::where.id()->descriptor->functions.apply(
      {.in = {{mask, {2, 1}}, {a, {3}}, {b, {3}}}, .out = {out.data(), by_rule.out}},
      by_rule.options);
  CHECK(out == values{-1, -1, -1, 1, 2, 3});
}

TEST_CASE("tensors of one number") {
  CHECK(value_of(fn::full_like, 7, {.fill_value = 2.5F}) == 2.5F);
  CHECK(value_of(fn::zeros_like, not_a_number) == 0);
  CHECK(value_of(fn::ones_like, 7) == 1);
}
