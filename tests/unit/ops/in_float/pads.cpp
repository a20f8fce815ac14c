// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/pads.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

// The last axis comes first.
static_assert(shape_by(nn::constant_pad1d, {2, 3, 8}, {.padding = {1, 2}, .value = 3}) ==
              shape{2, 3, 11});
static_assert(shape_by(nn::zero_pad2d, {1, 3, 8, 9}, {.padding = {1, 2, 3, -4}}) ==
              shape{1, 3, 7, 12});
static_assert(shape_by(nn::replication_pad3d, {1, 1, 2, 3, 4}, {.padding = {1, 1, 2, 2, 3, 3}}) ==
              shape{1, 1, 8, 7, 6});

// A reflection needs one element more than it adds; a copy of the last one does not.
static_assert(shape_by(nn::reflection_pad1d, {1, 1, 4}, {.padding = {3, 3}}) == shape{1, 1, 10});
static_assert(refuses(nn::reflection_pad1d, {1, 1, 4}, {.padding = {4, 0}}));
static_assert(shape_by(nn::replication_pad1d, {1, 1, 4}, {.padding = {9, 0}}) == shape{1, 1, 13});
static_assert(refuses(nn::zero_pad1d, {1, 1, 4}, {.padding = {1}}));
