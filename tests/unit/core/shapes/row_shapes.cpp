// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/shapes/row_shapes.hpp"

using namespace ctq;

namespace {

constexpr reduction_shape first_and_third{.in = {2, 3, 4}, .axes = 0b101};
static_assert(first_and_third.reduces(0) && !first_and_third.reduces(1));
static_assert(first_and_third.reduces(2) && !first_and_third.reduces(3));

static_assert(attention_shape{.scale_bits = std::bit_cast<int>(0.125F)}.scale() == 0.125F);

}  // namespace
