// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/sliding_blocks.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(nn::unfold, {2, 3, 5, 6}, {.kernel_size = {2, 3}}) == shape{2, 18, 16});
static_assert(shape_by(fn::unfold, {3, 5, 6},
                       {.kernel_size = 2, .dilation = 2, .padding = {1, 0}, .stride = 2}) ==
              shape{12, 6});
static_assert(refuses(fn::unfold, {5, 6}, {.kernel_size = 2}));
static_assert(refuses(fn::unfold, {1, 1, 2, 2}, {.kernel_size = 3}));
static_assert(refuses(fn::unfold, {1, 1, 2, 2}, {.kernel_size = 1, .stride = {1, 0}}));
static_assert(refuses(fn::unfold, {1, 1, 2, 2}, {.kernel_size = 0}));

static_assert(shape_by(nn::fold, {2, 18, 16}, {.output_size = {5, 6}, .kernel_size = {2, 3}}) ==
              shape{2, 3, 5, 6});
static_assert(shape_by(fn::fold, {12, 6},
                       {.output_size = {5, 6},
                        .kernel_size = 2,
                        .dilation = 2,
                        .padding = {1, 0},
                        .stride = 2}) == shape{3, 5, 6});
static_assert(refuses(fn::fold, {12}, {.output_size = 3, .kernel_size = 2}));
static_assert(refuses(fn::fold, {6, 4}, {.output_size = 3, .kernel_size = 2}));
static_assert(refuses(fn::fold, {4, 5}, {.output_size = 3, .kernel_size = 2}));
static_assert(refuses(fn::fold, {4, 4}, {.kernel_size = 2}));
static_assert(refuses(fn::fold, {4, 4}, {.output_size = 3, .kernel_size = 4}));

TEST_CASE("unfold has a column for each place of the window") {
  check_values(values_of(fn::unfold, {counted({1, 2, 3})}, {.kernel_size = 2}),
               {1, 2, 2, 3, 4, 5, 5, 6});
  // Outside of the image there are zeros.
  check_values(
      values_of(nn::unfold, {counted({2, 1, 1, 2})},
                {.kernel_size = {1, 2}, .dilation = 2, .padding = {0, 1}, .stride = {1, 2}}),
      {0, 2, 0, 4});
  check_values(values_of(fn::unfold, {counted({1, 2, 1})},
                         {.kernel_size = {2, 1}, .padding = {1, 0}, .stride = {2, 1}}),
               {0, 2, 1, 0});
}

TEST_CASE("fold sums the blocks") {
  check_values(values_of(fn::fold, {counted({4, 2})}, {.output_size = {2, 3}, .kernel_size = 2}),
               {1, 2 + 3, 4, 5, 6 + 7, 8});
  // What lies outside of the image is dropped.
  check_values(
      values_of(
          nn::fold, {counted({1, 2, 2})},
          {.output_size = {1, 2}, .kernel_size = {1, 2}, .padding = {0, 1}, .stride = {1, 2}}),
      {3, 2});
}
