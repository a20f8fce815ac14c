// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/einsum.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "../calls.hpp"

using namespace ctq;

namespace {

constexpr einsum_options read(std::string_view equation, int first = 0, int second = 0) {
  einsum_options o;
  return read_equation(equation, first, second, o) ? o : einsum_options{};
}
constexpr bool reads(std::string_view equation, const shape& other, const shape& out, int first = 0,
                     int second = 0) {
  const einsum_options o = read(equation, first, second);
  return o.other_axes == other && o.out_axes == out;
}
constexpr bool is_refused(std::string_view equation, int first = 0, int second = 0) {
  einsum_options o;
  return !read_equation(equation, first, second, o);
}

static_assert(reads("bij,bjk->bik", {0, 2, 3}, {0, 1, 3}));
static_assert(reads("B H i d, B H j d -> B H i j", {0, 1, 4, 3}, {0, 1, 2, 4}));
static_assert(reads("bd,bd->b", {0, 1}, {0}));
// Without an output: the letters that are there once, in the order of the alphabet.
static_assert(reads("ca,ab", {1, 2}, {2, 0}));
static_assert(reads("aZ,ZB", {1, 2}, {2, 0}));
static_assert(is_refused("ij->ji") && is_refused("ii,ij->j") && is_refused("..i,ij->..j"));
// The axes of ... are counted from the last.
static_assert(reads("...i, i j -> ...j", {2, 3}, {0, 1, 3}, 3, 2));
static_assert(reads("b...d,...jd->b...j", {2, 4, 3}, {0, 1, 2, 4}, 4, 3));
static_assert(reads("...ij,...jk", {0, 2, 3}, {0, 1, 3}, 3, 3));
static_assert(reads("...i,ij->j...", {0, 1}, {1}, 1, 2));
static_assert(reads("i,...i->...", {1, 0}, {1}, 1, 2));
static_assert(is_refused("......i,i->i", 3, 1) && is_refused("...i,i->i", 8, 1));
static_assert(is_refused("i,j,k->ijk") && is_refused("i,j->k") && is_refused(",i->i"));
static_assert(is_refused("i,->i") && is_refused("i,j-ij") && is_refused("abcdefg,a->b"));
static_assert(is_refused("abcdef,ghijklm->a") && is_refused("i->i,j"));

constexpr rule_answer answer(const shape& a, const shape& b, std::string_view equation) {
  const shape in[] = {a, b};
  return answer_of(fn::einsum, {in, 2}, read(equation));
}
static_assert(answer({2, 3, 4}, {2, 4, 5}, "bij,bjk->bik").out == shape{2, 3, 5});
static_assert(answer({3}, {2}, "i,j->ji").out == shape{2, 3});
static_assert(answer({3, 4}, {5, 2}, "ij,jk->ik")
                  .problem.message()
                  .starts_with("axes do not fit the tensors, or come twice\n"));
static_assert(answer({3, 4}, {4}, "ij,jk->ik").problem.any());
static_assert(answer({3, 4, 2}, {4, 2}, "ij,jk->ik").problem.any());
static_assert(answer({3, 4}, {4, 4}, "ij,jj->i").problem.any());
static_assert(answer({3, 4}, {4, 2}, "ij,jk->ii").problem.any());
constexpr shape matrices[] = {{3, 4}, {4, 2}};
static_assert(answer_of(fn::einsum, {matrices, 2}, {.other_axes = {1, 3}, .out_axes = {0}})
                  .problem.any());  // there is no axis 2
static_assert(
    answer_of(fn::einsum, {matrices, 2}, {.other_axes = {1, 2}, .out_axes = {}}).problem.any());
static_assert(
    answer_of(fn::einsum, {matrices, 2}, {.other_axes = {1, 12}, .out_axes = {0}}).problem.any());

std::vector<float> run(std::string_view equation, const shape& a, const std::vector<float>& x,
                       const shape& b, const std::vector<float>& y) {
  const rule_answer by_rule = answer(a, b, equation);
  REQUIRE(!by_rule.problem.any());
  std::vector<float> out(numel(by_rule.out), -1.0F);
  fn::einsum.id()->descriptor->functions.apply(
      {.in = {{x.data(), a}, {y.data(), b}}, .out = {out.data(), by_rule.out}}, by_rule.options);
  return out;
}

}  // namespace

TEST_CASE("sums are along the axes that the output has not") {
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 1, 0, 3};
  CHECK(run("ij,jk->ik", {2, 3}, a, {3, 2}, b) == std::vector<float>{5, 11, 14, 23});
  CHECK(run("ij,jk->ki", {2, 3}, a, {3, 2}, b) == std::vector<float>{5, 14, 11, 23});
  CHECK(run("ij,ij->i", {2, 3}, a, {2, 3}, b) == std::vector<float>{7, 22});
  CHECK(run("ij,jk->k", {2, 3}, a, {3, 2}, b) == std::vector<float>{19, 34});
  CHECK(run("i,j->ij", {2}, {2, 3}, {2}, {5, 7}) == std::vector<float>{10, 14, 15, 21});
  CHECK(run("bij,bj->bi", {2, 1, 3}, a, {2, 3}, b) == std::vector<float>{7, 22});
}

TEST_CASE("rows of any length are summed, with columns next to each other or not") {
  for (const int rows : {1, 3})
    for (const int columns : {1, 7, 8, 9, 24})
      for (const int depth : {1, 5}) {
        const auto numbers = [](int count, int seed) {
          std::vector<float> all(static_cast<std::size_t>(count));
          for (float& x : all) x = static_cast<float>((seed = seed * 37 % 101) - 50);
          return all;
        };
        const std::vector<float> a = numbers(rows * depth * 2, 3),
                                 b = numbers(columns * depth * 2, 5);
        // By a third axis of both, too, of two elements.
        const auto by_rows = run("ikl,klj->ij", {rows, depth, 2}, a, {depth, 2, columns}, b);
        const auto by_columns = run("ikl,jlk->ij", {rows, depth, 2}, a, {columns, 2, depth}, b);
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < columns; ++j) {
            float contiguous = 0, strided = 0;  // small integers: exact in any order
            for (int k = 0; k < depth; ++k)
              for (int l = 0; l < 2; ++l) {
                const float x = a[static_cast<std::size_t>((i * depth + k) * 2 + l)];
                contiguous += x * b[static_cast<std::size_t>((k * 2 + l) * columns + j)];
                strided += x * b[static_cast<std::size_t>((j * 2 + l) * depth + k)];
              }
            const auto at = static_cast<std::size_t>(i * columns + j);
            CHECK(by_rows[at] == contiguous);
            CHECK(by_columns[at] == strided);
          }
      }
}
