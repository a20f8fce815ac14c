// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/strided.hpp"

#include <doctest/doctest.h>

using namespace ctq::float_ops;

namespace {

const tensor six{{2, 3}, {0, 1, 2, 3, 4, 5}};

}  // namespace

TEST_CASE("axes change places") {
  const tensor t = copy(six, permuted(strided_of(six.shape), {1, 0}));
  CHECK(t.shape == extents{3, 2});
  CHECK(t.data == std::vector<float>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("a slice keeps every second element, an index takes its axis away") {
  CHECK(copy(six, sliced(strided_of(six.shape), 1, 0, 2, 2)).data ==
        std::vector<float>{0, 2, 3, 5});
  const tensor row = copy(six, without_axis(sliced(strided_of(six.shape), 0, 1, 1), 0));
  CHECK(row.shape == extents{3});
  CHECK(row.data == std::vector<float>{3, 4, 5});
}

TEST_CASE("an axis of one element is seen again and again") {
  const tensor column{{2, 1}, {7, 8}};
  CHECK(copy(column, expanded(strided_of(column.shape), {2, 2, 2})).data ==
        std::vector<float>{7, 7, 8, 8, 7, 7, 8, 8});
}

TEST_CASE("shapes broadcast from the last axis on") {
  CHECK(*broadcast({2, 1, 3}, {4, 1}) == extents{2, 4, 3});
  CHECK(*broadcast({}, {2}) == extents{2});
  CHECK_FALSE(broadcast({2}, {3}).has_value());
}

TEST_CASE("a scalar and an empty tensor are copied") {
  const tensor scalar{{}, {5}}, empty{{2, 0}, {}};
  CHECK(copy(scalar, strided_of({})).data == std::vector<float>{5});
  CHECK(copy(empty, strided_of(empty.shape)).shape == extents{2, 0});
}
