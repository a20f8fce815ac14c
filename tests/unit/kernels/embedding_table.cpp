// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/embedding_table.hpp"

#include <cstdint>

using namespace ctq;
using namespace ctq::kernels;

namespace {

static_assert(bytes_of_row({.width = 3}) == 12 && bytes_of_row({.width = 3, .bits = 8}) == 3);
static_assert(bytes_of_row({.width = 3, .bits = 4}) == 2);
static_assert(is_in_table({.rows = 4}, 3) && !is_in_table({.rows = 4}, 4) &&
              !is_in_table({.rows = 4}, -1));

static_assert(is_padding({.padding_index = 2}, 2) && !is_padding({}, -1));

constexpr std::int64_t offsets[] = {0, 3, 2};
constexpr embedding_shape without{.indices = 6, .bags = 3};
static_assert(bag_of<std::int64_t>(without, nullptr, 1).first == 2 &&
              bag_of<std::int64_t>(without, nullptr, 1).end == 4);
constexpr embedding_shape with{.indices = 6, .bags = 3, .has_offsets = 1};
static_assert(bag_of(with, offsets, 0).valid && bag_of(with, offsets, 0).end == 3);
static_assert(!bag_of(with, offsets, 1).valid && bag_of(with, offsets, 2).end == 6);
constexpr embedding_shape with_end{.indices = 6, .bags = 2, .has_offsets = 2};
static_assert(!bag_of(with_end, offsets, 1).valid);

}  // namespace
