// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/shape.hpp"

#include <doctest/doctest.h>

using ctq::numel;
using ctq::shape;

namespace {

static_assert(shape{}.rank == 0 && numel(shape{}) == 1);  // a scalar
static_assert(shape{7}.rank == 1 && shape{7}[0] == 7);
static_assert(shape{1, 3, 28, 14}.rank == 4 && numel(shape{1, 3, 28, 14}) == 3 * 28 * 14);
static_assert(shape{2, 3} == shape{2, 3});
static_assert(shape{2, 3} != shape{3, 2});
static_assert(shape{2, 3} != shape{2, 3, 1});                   // the rank counts
static_assert(numel(shape{70000, 70000}) == 4'900'000'000ULL);  // more than an int holds
static_assert(numel(shape{4, 0, 2}) == 0);

template <class... Int>
concept can_be_shape = requires(Int... e) {
  shape{e...};
};
static_assert(can_be_shape<int, int, int, int, int, int>);
static_assert(!can_be_shape<int, int, int, int, int, int, int>);  // at most max_rank axes

TEST_CASE("an extent can be changed") {
  shape s{1, 3, 8, 8};
  s[1] = 16;
  CHECK(s == shape{1, 16, 8, 8});
  CHECK(numel(s) == 1024);
}

}  // namespace
