// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/views.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(fn::reshape, {2, 6}, {.shape = {3, -1}}) == shape{3, 4});
static_assert(refuses(fn::reshape, {2, 6}, {.shape = {5, -1}}));
static_assert(shape_by(method::flatten, {2, 3, 4}, {.start_dim = 1}) == shape{2, 12});
static_assert(shape_by(fn::t, {2, 3}) == shape{3, 2} && refuses(method::t, {2, 3, 4}));
static_assert(shape_by(fn::swapaxes, {2, 3, 4}, {.dim0 = 0, .dim1 = -1}) == shape{4, 3, 2});
static_assert(shape_by(nn::unflatten, {2, 6}, {.dim = 1, .unflattened_size = {3, 2}}) ==
              shape{2, 3, 2});
static_assert(shape_by(method::expand, {1, 3}, {.shape = {4, -1}}) == shape{4, 3});

static_assert(shape_by(fn::select, {2, 3, 4}, {.dim = 1, .index = -3}) == shape{2, 4});
static_assert(shape_by(method::select, {2, 3}, {.dim = -1}) == shape{2});
static_assert(refuses(fn::select, {2, 3}, {.dim = 1, .index = 3}));
static_assert(refuses(fn::select, {2, 3}, {.dim = 1, .index = -4}));
static_assert(refuses(fn::select, {2, 3}, {.dim = 2}));
static_assert(shape_by(method::narrow, {2, 5}, {.dim = 1, .start = 1, .length = 3}) == shape{2, 3});

// Unlike the views that backends know, they are in float.
static_assert(fn::flatten.id()->descriptor->on_integers == on_integers::input_scale);
static_assert(method::flatten.id()->descriptor->on_integers == on_integers::none);
static_assert(fn::reshape.id()->descriptor->on_integers == on_integers::none);

static_assert(method::narrow.id()->descriptor->on_integers == on_integers::none);
static_assert(fn::narrow.id()->descriptor->on_integers == on_integers::input_scale);

TEST_CASE("an evaluator copies the elements that select gives") {
  check_values(values_of_matrix(fn::select, {.dim = 1, .index = -2}), {3, -1});
  check_values(values_of_matrix(fn::select, {.dim = 0, .index = 1}), {2, 0, -1, 4});
}

// Lists of parts.
static_assert(fn::split.id()->descriptor->returns_tuple &&
              fn::unbind.id()->descriptor->returns_tuple);
