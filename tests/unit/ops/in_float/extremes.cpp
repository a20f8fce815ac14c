// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/extremes.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(fn::amax, {2, 3, 4}, {.dim = {1}}) == shape{2, 4});
static_assert(shape_by(method::amin, {2, 3}, {.keepdim = true}) == shape{1, 1});
static_assert(refuses(fn::amax, {2, 3}, {.dim = {2}}) &&
              refuses(fn::amin, {2, 3}, {.dim = {0, 0}}));

// An index is of one axis, or of all elements.
static_assert(shape_by(fn::argmax, {2, 3, 4}, {.dim = {-1}}) == shape{2, 3});
static_assert(shape_by(method::argmin, {2, 3}) == shape{});
static_assert(refuses(fn::argmax, {2, 3, 4}, {.dim = {0, 1}}));
static_assert(fn::argmax.id()->descriptor->returns_indices);
static_assert(!fn::amax.id()->descriptor->returns_indices);

// A tuple of both is along one axis; amax has the extreme of all elements.
static_assert(shape_by(fn::max, {2, 3, 4}, {.dim = {1}}) == shape{2, 4});
static_assert(refuses(fn::max, {2, 3}) && refuses(method::min, {2, 3, 4}, {.dim = {0, 1}}));
constexpr bool is_item(int item) {
  const op_descriptor& d = *fn::max.id()->descriptor;
  return d.tuple_item(attributes{}, strided_view{.shape = {2, 3}}, item).shape == shape{2, 3};
}
static_assert(is_item(0) && is_item(1) && is_item(-1) && is_item(-2));
static_assert(!is_item(2) && !is_item(-3));
