// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/integers.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "../calls.hpp"
#include "ctq/graph/integers.hpp"

using namespace ctq;

namespace {

using values = std::vector<float>;

static_assert(keeps_integers(*method::long_.id()->descriptor) &&
              method::int_.id()->descriptor->returns_indices);
static_assert(keeps_integers(*op::mod.id()->descriptor) &&
              keeps_integers(*fn::floor_divide.id()->descriptor));
static_assert(shape_by(method::long_, {2, 3}) == shape{2, 3});

}  // namespace

TEST_CASE("integers are what is before the point") {
  CHECK(value_of(method::long_, -1.75F) == -1.0F);
  CHECK(value_of(method::int_, 2.5F) == 2.0F);
}

TEST_CASE("quotients are rounded down, and remainders have the sign of the divisor") {
  CHECK(values_with_number(fn::floor_divide, {7, -7}, {2, 2}) == values{3, -4});
  CHECK(values_with_number(op::mod, {7, -7, 6, -0.5F}, {3, 2}) == values{1, 2, 0, 2.5F});
  CHECK(values_with_number(fn::remainder, {7, -7, -6}, {-3, 2}) == values{-2, -1, 0});
  CHECK(values_with_number(method::remainder, {3, -3}, {7, 1}) == values{1, -2});
  CHECK(std::isnan(values_with_number(op::mod, {7}, {0, 2})[0]));
}
