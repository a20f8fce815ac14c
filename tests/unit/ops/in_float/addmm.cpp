// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/addmm.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "../calls.hpp"

using namespace ctq;

namespace {

constexpr rule_answer answer(const shape& added, const shape& a, const shape& b) {
  const shape in[] = {added, a, b};
  return answer_of(fn::addmm, {in, 3});
}
constexpr bool complains(std::string_view what, const rule_answer& a) {
  return a.problem.message().starts_with(what);
}

static_assert(answer({4}, {2, 3}, {3, 4}).out == shape{2, 4});
static_assert(answer({2, 1}, {2, 3}, {3, 4}).out == shape{2, 4});
static_assert(answer({}, {2, 3}, {3, 4}).out == shape{2, 4});
static_assert(complains("input does not broadcast to the product", answer({2}, {2, 3}, {3, 4})));
static_assert(complains("input does not broadcast to the product",
                        answer({1, 1, 1}, {2, 3}, {3, 4})));
static_assert(complains("mat1 and mat2 are no matrices that fit", answer({4}, {2, 3}, {4, 3})));
static_assert(complains("mat1 and mat2 are no matrices that fit", answer({4}, {2, 3}, {3})));

// (1 2; 3 4) and nine columns: k, then 1.
std::vector<float> run(const shape& added, const std::vector<float>& terms,
                       const addmm_options& o = {}) {
  const std::vector<float> a{1, 2, 3, 4}, b{0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<float> out(18);
  fn::addmm.id()->descriptor->functions.apply(
      {.in = {{terms.data(), added}, {a.data(), {2, 2}}, {b.data(), {2, 2}}},
       .out = {out.data(), {2, 9}}},
      attributes{o});
  return out;
}

}  // namespace

TEST_CASE("a number, a row, a column or a matrix is added to a product") {
  check_values(run({}, {100}), {102, 103, 104, 105, 106, 107, 108, 109, 110,  //
                                104, 107, 110, 113, 116, 119, 122, 125, 128});
  check_values(run({9}, {10, 20, 30, 40, 50, 60, 70, 80, 90}),
               {12, 23, 34, 45, 56, 67, 78, 89, 100, 14, 27, 40, 53, 66, 79, 92, 105, 118});
  check_values(run({2, 1}, {10, 100}),
               {12, 13, 14, 15, 16, 17, 18, 19, 20, 104, 107, 110, 113, 116, 119, 122, 125, 128});
  check_values(run({1, 9}, {10, 20, 30, 40, 50, 60, 70, 80, 90}),
               {12, 23, 34, 45, 56, 67, 78, 89, 100, 14, 27, 40, 53, 66, 79, 92, 105, 118});
  std::vector<float> all(18, 0);
  all[17] = 1000;
  const std::vector<float> sums = run({2, 9}, all);
  CHECK(sums[16] == 25);
  CHECK(sums[17] == 1028);
}

TEST_CASE("both have a factor") {
  check_values(run({}, {100}, {.beta = 0.5F, .alpha = -1}),
               {48, 47, 46, 45, 44, 43, 42, 41, 40, 46, 43, 40, 37, 34, 31, 28, 25, 22});
}
