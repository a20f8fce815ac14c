// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/shapes/matrix_shapes.hpp"

#include <cstdint>
#include <limits>

using namespace ctq;

namespace {

// A layer's rows are the pixels of an image, its features their channels.
constexpr conv2d_shape layer =
    as_conv2d(linear_shape{.rows = 5, .in_features = 7, .out_features = 3});
static_assert(layer.out_h() == 1 && layer.out_w() == 5);
static_assert(layer.in_channels == 7 && layer.out_channels == 3 && layer.groups == 1);

// Differences of 8-bit integers are at most 255 in magnitude.
constexpr std::int64_t largest = 255 * 255, most = std::numeric_limits<std::int32_t>::max();
static_assert(most_int8_products * largest <= most && (most_int8_products + 1) * largest > most);

}  // namespace
