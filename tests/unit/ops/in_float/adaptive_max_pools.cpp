// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/adaptive_max_pools.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(nn::adaptive_max_pool1d, {2, 3, 8}, {.output_size = {4}}) == shape{2, 3, 4});
static_assert(shape_by(fn::adaptive_max_pool2d, {2, 3, 8, 9}, {.output_size = {4, 2}}) ==
              shape{2, 3, 4, 2});
static_assert(shape_by(nn::adaptive_max_pool3d, {1, 3, 5, 6, 7}, {.output_size = {2, 3, 4}}) ==
              shape{1, 3, 2, 3, 4});
static_assert(refuses(fn::adaptive_max_pool2d, {3}, {.output_size = {1, 1}}));
static_assert(nn::adaptive_max_pool2d.id()->descriptor->schedule.kernel == kernel::pooling_max);
