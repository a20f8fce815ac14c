// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/rearrangements.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(fn::flip, {2, 3}, {.dims = {-1}}) == shape{2, 3});
static_assert(refuses(method::flip, {2, 3}, {.dims = {2}}));
static_assert(refuses(fn::flip, {2, 3}, {.dims = {1, -1}}));
static_assert(shape_by(method::roll, {2, 3}, {.shifts = {5}}) == shape{2, 3});
static_assert(refuses(fn::roll, {2, 3}, {.shifts = {1, 2}}));
static_assert(refuses(fn::roll, {2, 3}, {.shifts = {1}, .dims = {0, 1}}));
static_assert(refuses(fn::roll, {2, 3}, {.shifts = {1}, .dims = {-3}}) &&
              refuses(fn::roll, {2, 3}));
static_assert(shape_by(fn::roll, {2, 0}, {.shifts = {1}, .dims = {1}}) == shape{2, 0});
static_assert(shape_by(nn::channel_shuffle, {1, 6, 2, 2}, {.groups = 3}) == shape{1, 6, 2, 2});
static_assert(refuses(fn::channel_shuffle, {1, 6, 2}, {.groups = 4}));
static_assert(refuses(fn::channel_shuffle, {1, 6}, {.groups = 2}));
static_assert(refuses(fn::channel_shuffle, {1, 6, 2}, {.groups = 0}));

TEST_CASE("flip turns axes round") {
  check_values(values_of_matrix(fn::flip, {.dims = {1}}), {0.5, 3, -2, 1, 4, -1, 0, 2});
  check_values(values_of_matrix(method::flip, {.dims = {0, -1}}), {4, -1, 0, 2, 0.5, 3, -2, 1});
  check_values(values_of_matrix(fn::flip), {1, -2, 3, 0.5, 2, 0, -1, 4});
}

TEST_CASE("roll counts round, along axes or all elements") {
  check_values(values_of_matrix(fn::roll, {.shifts = {1}, .dims = {1}}),
               {0.5, 1, -2, 3, 4, 2, 0, -1});
  check_values(values_of_matrix(method::roll, {.shifts = {-3, 5}, .dims = {-1, 0}}),
               {4, 2, 0, -1, 0.5, 1, -2, 3});
  // Shifts of one axis add up.
  check_values(values_of_matrix(fn::roll, {.shifts = {3, 2}, .dims = {1, 1}}),
               {0.5, 1, -2, 3, 4, 2, 0, -1});
  check_values(values_of_matrix(fn::roll, {.shifts = {-2}}), {3, 0.5, 2, 0, -1, 4, 1, -2});
  check_values(values_of_matrix(fn::roll, {.shifts = {10}}), {-1, 4, 1, -2, 3, 0.5, 2, 0});
}

TEST_CASE("shuffled channels come from each group in turn") {
  std::vector<float> x(2 * 6 * 2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const shape in{2, 6, 2};
  std::vector<float> out(x.size());
  const op_descriptor& d = *nn::channel_shuffle.id()->descriptor;
  d.functions.apply({.in = {{x.data(), in}}, .out = {out.data(), in}},
                    attributes{channel_shuffle_options{3}});
  // Of the channels 0 1 | 2 3 | 4 5.
  check_values(
      out, {0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11, 12, 13, 16, 17, 20, 21, 14, 15, 18, 19, 22, 23});
}

TEST_CASE("patches of two by two become columns of channels, those outside 0") {
  static_assert(shape_by(fn::patch_merging_pad, {2, 3, 4, 5}) == shape{2, 2, 2, 20});
  static_assert(shape_by(fn::patch_merging_pad, {3, 4, 5}) == shape{2, 2, 20});
  static_assert(refuses(fn::patch_merging_pad, {4, 5}));
  std::vector<float> x(2 * 3 * 3 * 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
  std::vector<float> out(2 * 2 * 2 * 4);
  fn::patch_merging_pad.id()->descriptor->functions.apply(
      {.in = {{x.data(), {2, 3, 3, 1}}}, .out = {out.data(), {2, 2, 2, 4}}}, attributes{});
  // In the order of columns.
  check_values(out, {1,  4,  2,  5,  3,  6,  0, 0, 7,  0, 8,  0, 9,  0, 0, 0,
                     10, 13, 11, 14, 12, 15, 0, 0, 16, 0, 17, 0, 18, 0, 0, 0});
}
