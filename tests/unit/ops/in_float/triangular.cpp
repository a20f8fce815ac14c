// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/triangular.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(fn::tril, {2, 3, 4}) == shape{2, 3, 4});
static_assert(refuses(fn::tril, {3}) && refuses(method::triu, {}));

TEST_CASE("one side of a diagonal stays") {
  check_values(values_of_matrix(fn::tril), {1, 0, 0, 0, 2, 0, 0, 0});
  check_values(values_of_matrix(method::triu, {.diagonal = 1}), {0, -2, 3, 0.5, 0, 0, -1, 4});
  check_values(values_of_matrix(fn::triu, {.diagonal = -1}), {1, -2, 3, 0.5, 2, 0, -1, 4});
  check_values(values_of(method::tril, {counted({2, 2, 1})}, {.diagonal = -1}), {0, 2, 0, 4});
}
