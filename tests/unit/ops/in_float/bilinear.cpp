// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/bilinear.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

namespace {

constexpr rule_answer answer(const shape& a, const shape& b, const bilinear_options& o) {
  const shape in[] = {a, b};
  return answer_of(nn::bilinear, {in, 2}, o);
}
static_assert(answer({2, 5, 3}, {2, 5, 4}, {.out_features = 6}).out == shape{2, 5, 6});
static_assert(answer({5, 3}, {2, 4}, {.out_features = 6}).problem.any());
static_assert(answer({5, 3}, {5, 4}, {}).problem.any());
static_assert(answer({5, 3}, {5, 4}, {.in1_features = 4, .out_features = 6}).problem.any());
static_assert(answer({5, 3}, {5, 4}, {.in2_features = 3, .out_features = 6}).problem.any());
static_assert(answer({}, {5, 4}, {.out_features = 6}).problem.any());
static_assert(refuses(nn::bilinear, {5, 3}, {.out_features = 6}));

constexpr op_parameters parameters_of(bool bias) {
  return nn::bilinear.id()->descriptor->parameters(attributes{bilinear_options{3, 4, 6, bias}});
}
static_assert(parameters_of(true).item[0].shape == shape{6, 3, 4});
static_assert(parameters_of(true).item[1].shape == shape{6} && parameters_of(true).count == 2);
static_assert(parameters_of(false).count == 1);

}  // namespace

TEST_CASE("an output is a product of both vectors and a matrix of its own") {
  const float a[] = {1, 2, 3, 0}, b[] = {1, -1, 2, 4};
  const float weight[] = {1, 2, 3, 4, 0, 1, 0, -1}, bias[] = {10, 20};
  std::vector<float> out(4);
  nn::bilinear.id()->descriptor->functions.apply(
      {.in = {{a, {2, 2}}, {b, {2, 2}}},
       .out = {out.data(), {2, 2}},
       .parameters = {{{.shape = {2, 2, 2}, .floats = weight}, {.shape = {2}, .floats = bias}}}},
      attributes{bilinear_options{2, 2, 2}});
  check_values(out, {7, 21, 40, 32});
}
