// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/slices.hpp"

#include <doctest/doctest.h>

#include <cstddef>

namespace {

using ctq::shape;
using ctq::observers::axis_index;
using ctq::observers::for_each_slice;

static_assert(axis_index(shape(2, 3, 4), 1) == 1);
static_assert(axis_index(shape(2, 3, 4), -1) == 2);
static_assert(axis_index(shape(2, 3, 4), 3) == -1);
static_assert(axis_index(shape(2, 3, 4), -4) == -1);

/// The channels as digits, in the order of visits.
constexpr int channels(const shape& s, int axis) {
  int digits = 0;
  for_each_slice(s, axis, [&](std::size_t channel, std::size_t, std::size_t) {
    digits = digits * 10 + static_cast<int>(channel) + 1;
  });
  return digits;
}

static_assert(channels(shape(3, 2), 0) == 123, "one slice for each row");
static_assert(channels(shape(2, 3), 1) == 123123, "one element for each slice");
static_assert(channels(shape(2, 2, 5), -2) == 1212);
static_assert(channels(shape(2, 0), 0) == 0, "no elements, no slices");

TEST_CASE("slices cover the tensor without gaps") {
  std::size_t next = 0;
  for_each_slice(shape(2, 3, 4, 5), 1, [&](std::size_t, std::size_t offset, std::size_t count) {
    CHECK(offset == next);
    CHECK(count == 20);
    next = offset + count;
  });
  CHECK(next == 120);
}

}  // namespace
