// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/indexing.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "../calls.hpp"

using namespace ctq;

namespace {

template <class Op>
constexpr rule_answer answer(const Op& op, const shape& x, const shape& index, int dim) {
  const shape in[] = {x, index};
  return answer_of(op, {in, 2}, {.dim = dim});
}

static_assert(answer(fn::index_select, {2, 3, 4}, {5}, -2).out == shape{2, 5, 4});
static_assert(answer(fn::index_select, {2, 3, 4}, {5}, 3).problem.any());
static_assert(answer(method::index_select, {2, 3, 4}, {5, 1}, 0).problem.any());
static_assert(answer(fn::index_along, {2, 3, 4}, {5, 6}, 1).out == shape{2, 5, 6, 4});
static_assert(answer(fn::index_along, {2, 3, 4}, {5, 6, 1, 1, 1}, 0).problem.any());
static_assert(answer(fn::index_along, {2, 3}, {5}, 2).problem.any());

constexpr rule_answer pairs(const shape& x, const shape& rows, const shape& columns, int dim) {
  const shape in[] = {x, rows, columns};
  return answer_of(fn::index_pairs, {in, 3}, {.dim = dim});
}
static_assert(pairs({2, 3, 4, 5}, {6}, {6}, 1).out == shape{2, 6, 5});
static_assert(pairs({2, 3}, {6, 7}, {6, 7}, 0).out == shape{6, 7});
static_assert(pairs({2, 3}, {6}, {5}, 0).problem.any());
static_assert(pairs({2, 3}, {6}, {6}, 1).problem.any());

static_assert(answer(fn::gather, {2, 3, 4}, {1, 7, 4}, 1).out == shape{1, 7, 4});
static_assert(answer(fn::gather, {2, 3, 4}, {3, 3, 4}, 1).problem.any());
static_assert(answer(method::gather, {2, 3, 4}, {2, 3}, 1).problem.any());
static_assert(answer(method::gather, {2, 3}, {2, 3}, -3).problem.any());
static_assert(shape_by(fn::select_each, {2, 3}, {.dim = 1, .index = {2, -3, 0, 2}}) == shape{2, 4});
static_assert(refuses(fn::select_each, {2, 3}, {.dim = 1, .index = {0, 3}}));
static_assert(refuses(fn::select_each, {2, 3}, {.dim = 1, .index = {-4}}));
static_assert(refuses(fn::select_each, {2, 3}, {.dim = 1}));
static_assert(refuses(fn::select_each, {2, 3}, {.dim = 2, .index = {0}}));

}  // namespace

TEST_CASE("indices choose elements of an axis") {
  const test_tensor x = counted({2, 3, 2}), index{{2}, {2, 0}};
  check_values(values_of(fn::index_select, {x, index}, {.dim = 1}), {5, 6, 1, 2, 11, 12, 7, 8});
  check_values(values_of(method::index_select, {counted({3}), index}), {3, 1});
  check_values(values_of(fn::select_each, {x}, {.dim = 1, .index = {-1, 1}}),
               {5, 6, 3, 4, 11, 12, 9, 10});
  check_values(values_of(fn::select_each, {x}, {.dim = 2, .index = {1, 0, 1}}),
               {2, 1, 2, 4, 3, 4, 6, 5, 6, 8, 7, 8, 10, 9, 10, 12, 11, 12});
}

TEST_CASE("indices of any shape may be counted from the end") {
  const test_tensor x = counted({2, 3, 2}), index{{2, 1}, {-1, 0}};
  check_values(values_of(fn::index_along, {x, index}, {.dim = 1}), {5, 6, 1, 2, 11, 12, 7, 8});
  check_values(values_of(fn::index_along, {counted({3}), index}), {3, 1});
}

TEST_CASE("pairs of indices choose elements of two axes") {
  const test_tensor x = counted({2, 3, 2}), rows{{3}, {1, -1, 0}}, columns{{3}, {0, 2, -2}};
  check_values(values_of(fn::index_pairs, {x, rows, columns}), {7, 8, 11, 12, 3, 4});
  const test_tensor last{{3}, {0, -1, 1}};
  check_values(values_of(fn::index_pairs, {x, columns, last}, {.dim = 1}), {1, 6, 4, 7, 12, 10});
  const test_tensor wrong{{4}, {0, 3, -4, __builtin_nanf("")}}, good{{4}, {0, 0, 1, 1}};
  const auto chosen = values_of(fn::index_pairs, {x, good, wrong});
  CHECK(chosen[0] == 1.0F);
  for (std::size_t i = 2; i < chosen.size(); ++i) CHECK(std::isnan(chosen[i]));
}

TEST_CASE("gather has an index for each element") {
  const test_tensor x = counted({2, 3}), index{{1, 2}, {1, 0}};
  check_values(values_of(fn::gather, {x, index}), {4, 2});
  check_values(values_of(method::gather, {x, {{2, 2}, {2, 0, 1, 1}}}, {.dim = 1}), {3, 1, 5, 5});
}

TEST_CASE("what is no index chooses NaN") {
  const test_tensor x = counted({3}), index{{3}, {3, -1, __builtin_nanf("")}};
  for (const float chosen : values_of(fn::index_select, {x, index})) CHECK(std::isnan(chosen));
  for (const float chosen : values_of(fn::gather, {x, index})) CHECK(std::isnan(chosen));
}
