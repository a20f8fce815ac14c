// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/along_axes.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

namespace {
constexpr shape images[] = {{2, 3, 4}};
constexpr view<shape> of_three_axes{images, 1};
}  // namespace

static_assert(shape_by(fn::glu, {2, 6, 3}, {.dim = 1}) == shape{2, 3, 3});
static_assert(shape_by(nn::glu, {2, 4}) == shape{2, 2});
static_assert(refuses(fn::glu, {2, 3}) && refuses(fn::glu, {2, 4}, {.dim = 2}));
static_assert(answer_of(nn::softmin, of_three_axes).options.as<softmax_options>().dim == 0);
static_assert(refuses(fn::softmin, {2, 3}, {.dim = 2}));
static_assert(shape_by(fn::normalize, {2, 5}) == shape{2, 5});
static_assert(refuses(fn::normalize, {5}) && refuses(fn::normalize, {2, 5}, {.p = 3}));
static_assert(shape_by(fn::var, {2, 3, 4}, {.dim = {-1}}) == shape{2, 3});
static_assert(shape_by(method::std, {2, 3, 4}, {.dim = {0, 2}, .keepdim = true}) == shape{1, 3, 1});
static_assert(shape_by(method::norm, {2, 3}, {.p = 1, .dim = {1}}) == shape{2});
static_assert(refuses(fn::norm, {2, 3}, {.p = 4}) && refuses(fn::std, {2, 3}, {.dim = {2}}));

TEST_CASE("a gated linear unit gates one half of an axis with the other") {
  check_values(values_of_matrix(fn::glu, {.dim = 0}), {0.88079709, -1.0, 0.80682433, 0.49100690});
  check_values(values_of_matrix(nn::glu), {0.95257413, -1.24491870, 0.53788286, 0.0});
}

TEST_CASE("softmin is the softmax of negated elements") {
  check_values(values_of_matrix(fn::softmin, {.dim = 1}),
               {0.04372618, 0.87826383, 0.00591770, 0.07209229,  //
                0.03495290, 0.25826895, 0.70204777, 0.00473036});
  check_values(values_of_matrix(nn::softmin, {.dim = 0}),
               {0.73105858, 0.88079708, 0.01798621, 0.97068777, 0.26894142, 0.11920292, 0.98201379,
                0.02931223});
}

TEST_CASE("normalize divides by the norm along an axis") {
  check_values(values_of_matrix(fn::normalize),
               {0.26490647, -0.52981293, 0.79471940, 0.13245323,  //
                0.43643579, 0.0, -0.21821789, 0.87287158});
  check_values(values_of_matrix(fn::normalize, {.p = 1, .dim = 0}),
               {0.33333334, -1.0, 0.75, 0.11111111, 0.66666669, 0.0, -0.25, 0.88888890});
  // A norm below eps is eps.
  check_values(values_of_matrix(fn::normalize, {.eps = 10}),
               {0.1, -0.2, 0.3, 0.05, 0.2, 0.0, -0.1, 0.4});
}

TEST_CASE("variances and norms are those of the elements along the axes") {
  check_values(values_of_matrix(fn::var, {.dim = {1}}), {4.22916651, 4.91666651});
  check_values(values_of_matrix(method::std, {.dim = {0}, .unbiased = false}),
               {0.5, 1.0, 2.0, 1.75});
  check_values(values_of_matrix(method::var), {4.03125});
  check_values(values_of_matrix(fn::norm, {.dim = {1}}), {3.77491713, 4.58257580});
  check_values(values_of_matrix(fn::norm, {.p = 1, .dim = {0}, .keepdim = true}),
               {3.0, 2.0, 4.0, 4.5});
}
