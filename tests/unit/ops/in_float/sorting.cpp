// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/sorting.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(fn::topk, {2, 3, 4}, {.k = 2, .dim = 1}) == shape{2, 2, 4});
static_assert(shape_by(method::topk, {2, 3}, {.k = 3}) == shape{2, 3});
static_assert(refuses(fn::topk, {2, 3}, {.k = 4}) && refuses(fn::topk, {2, 3}));
static_assert(refuses(fn::topk, {2, 3}, {.k = 1, .dim = 2}));
static_assert(refuses(fn::sort, {32768, 32768}) && !refuses(fn::sort, {32768, 32767}));
static_assert(refuses(fn::topk, {32768, 32768}, {.k = 32768}));
static_assert(shape_by(fn::sort, {2, 3}) == shape{2, 3} && refuses(method::sort, {2}, {.dim = 1}));

constexpr strided_view item_of(int item) {
  return fn::sort.id()->descriptor->tuple_item(attributes{}, {.shape = {2, 3}, .offset = 1}, item);
}
static_assert(item_of(0).shape == shape{2, 3} && item_of(0).offset == 1);
static_assert(item_of(1).offset == 7 && item_of(-1).offset == 7 && item_of(-2).offset == 1);
static_assert(item_of(2).shape == shape{} && item_of(-3).shape == shape{});

namespace {

/// Values, and where they lie.
template <class Op>
std::vector<float> in_order(const Op& op, const test_tensor& x, const typename Op::options& o) {
  const rule_answer a = answer_of(op, {&x.shape, 1}, o);
  REQUIRE(!a.problem.any());
  std::vector<float> out(2 * numel(a.out));
  op.id()->descriptor->functions.apply(
      {.in = {{x.values.data(), x.shape}}, .out = {out.data(), a.out}}, a.options);
  return out;
}

const test_tensor matrix{{2, 4}, {1, -2, 3, 0.5F, 2, 0, -1, 4}};

}  // namespace

TEST_CASE("topk has the largest or the smallest elements, in order") {
  check_values(in_order(fn::topk, matrix, {.k = 2}), {3, 1, 4, 2, 2, 0, 3, 0});
  check_values(in_order(method::topk, matrix, {.k = 3, .largest = false}),
               {-2, 0.5, 1, -1, 0, 2, 1, 3, 0, 2, 1, 0});
  check_values(in_order(fn::topk, matrix, {.k = 1, .dim = 0}), {2, 0, 3, 4, 1, 1, 0, 1});
}

TEST_CASE("sort keeps the order of equal elements") {
  const test_tensor x{{5}, {2, 1, 2, 1, 0}};
  check_values(in_order(fn::sort, x, {}), {0, 1, 1, 2, 2, 4, 1, 3, 0, 2});
  check_values(in_order(fn::sort, x, {.descending = true}), {2, 2, 1, 1, 0, 0, 2, 1, 3, 4});
  check_values(in_order(method::sort, matrix, {.dim = 0}),
               {1, -2, -1, 0.5, 2, 0, 3, 4, 0, 0, 1, 0, 1, 1, 0, 1});
}

TEST_CASE("what is not a number is above all numbers") {
  const test_tensor x{{3}, {1, __builtin_nanf(""), __builtin_inff()}};
  const std::vector<float> up = in_order(fn::sort, x, {});
  CHECK((up[0] == 1.0F && std::isnan(up[2]) && up[5] == 1.0F));
  const std::vector<float> down = in_order(fn::topk, x, {.k = 2});
  CHECK((std::isnan(down[0]) && std::isinf(down[1])));
}

TEST_CASE("rows of any length are sorted") {
  for (int count = 1; count < 40; ++count) {
    test_tensor x = counted({count});
    for (std::size_t i = 0; i < x.values.size(); ++i)
      x.values[i] = static_cast<float>((i * 17 + 5) % 13);
    std::vector<float> places(x.values.size());
    std::iota(places.begin(), places.end(), 0.0F);
    const auto value = [&](float place) { return x.values[static_cast<std::size_t>(place)]; };
    std::sort(places.begin(), places.end(),
              [&](float a, float b) { return value(a) != value(b) ? value(a) > value(b) : a < b; });
    const std::vector<float> all = in_order(fn::sort, x, {.descending = true});
    for (int k = 1; k <= count; ++k) {
      const std::vector<float> first = in_order(fn::topk, x, {.k = k});
      for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
        CHECK(first[static_cast<std::size_t>(k) + i] == places[i]);
        CHECK(first[i] == value(places[i]));
        CHECK(all[x.values.size() + i] == places[i]);
      }
    }
  }
}
