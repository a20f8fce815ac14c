// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/shapes/layout_shapes.hpp"

using namespace ctq;

namespace {

static_assert(pad_shape{.value_bits = std::bit_cast<int>(-1.5F)}.value() == -1.5F);
// Axes as many as a tensor may have.
static_assert(pad_shape::axes == max_rank && reorder_shape::axes == max_rank);

}  // namespace
