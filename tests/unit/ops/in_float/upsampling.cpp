// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/upsampling.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(nn::upsampling_nearest2d, {1, 2, 3, 4}, {.scale_factor = 2}) ==
              shape{1, 2, 6, 8});
static_assert(shape_by(nn::upsampling_bilinear2d, {1, 2, 3, 4}, {.size = {5, 7}}) ==
              shape{1, 2, 5, 7});
static_assert(refuses(nn::upsampling_nearest2d, {2, 3, 4}, {.scale_factor = 2}));
static_assert(refuses(nn::upsampling_bilinear2d, {1, 2, 3, 4}));

TEST_CASE("the options become those of nn.Upsample") {
  const shape image[] = {{1, 2, 3, 4}};
  const auto bilinear = answer_of(nn::upsampling_bilinear2d, {image, 1}, {.scale_factor = 2})
                            .options.as<interpolate_options>();
  CHECK(bilinear.mode == interpolation::bilinear);
  CHECK(bilinear.align_corners);
  CHECK(bilinear.scale_factor == 2.0F);
  const auto nearest = answer_of(nn::upsampling_nearest2d, {image, 1}, {.size = {6, 9}})
                           .options.as<interpolate_options>();
  CHECK(nearest.mode == interpolation::nearest);
  CHECK(!nearest.align_corners);
  CHECK(nearest.size == shape{6, 9});
}
