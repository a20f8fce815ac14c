// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/grid_sampling.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

namespace {

constexpr shape sample_of(const shape& image, const shape& grid) {
  const shape in[] = {image, grid};
  return answer_of(fn::grid_sample, {in, 2}).out;
}
static_assert(sample_of({2, 3, 4, 5}, {2, 6, 7, 2}) == shape{2, 3, 6, 7});
static_assert(sample_of({2, 3, 4, 5}, {1, 6, 7, 2}) == shape{});
static_assert(sample_of({2, 3, 4, 5}, {2, 6, 7, 3}) == shape{});
static_assert(sample_of({2, 3, 4, 5}, {2, 6, 2}) == shape{});
static_assert(sample_of({2, 3, 4, 5, 6}, {2, 6, 7, 8, 3}) == shape{});
static_assert(shape_by(fn::affine_grid, {2, 2, 3}, {.size = {2, 3, 4, 5}}) == shape{2, 4, 5, 2});
static_assert(refuses(fn::affine_grid, {2, 2, 3}, {.size = {1, 3, 4, 5}}));
static_assert(refuses(fn::affine_grid, {2, 2, 3}, {.size = {2, 3, 4}}));
static_assert(refuses(fn::affine_grid, {2, 2, 3}, {.size = {2, 3, 4, 0}}));
static_assert(refuses(fn::affine_grid, {2, 3}, {.size = {2, 3, 4, 5}}));

const test_tensor image = counted({1, 1, 2, 2});

/// At one point.
float sample_at(float x, float y, const grid_sample_options& o = {}) {
  return values_of(fn::grid_sample, {image, {{1, 1, 1, 2}, {x, y}}}, o)[0];
}

}  // namespace

TEST_CASE("points are between the borders of the image, or between its outer pixels") {
  CHECK(sample_at(0, 0) == 2.5F);
  CHECK(sample_at(-0.5F, 0.5F) == 3.0F);
  CHECK(sample_at(0.25F, -0.5F) == 1.75F);
  CHECK(sample_at(0.5F, -1, {.align_corners = true}) == 1.75F);
  CHECK(sample_at(1, 1, {.align_corners = true}) == 4.0F);
}

TEST_CASE("outside of the image there are zeros, or its border") {
  CHECK(sample_at(-1, -0.5F) == 0.5F);
  CHECK(sample_at(-3, 0) == 0.0F);
  CHECK(sample_at(-3, 0.5F, {.padding_mode = sampling_padding::border}) == 3.0F);
  CHECK(sample_at(9, 9, {.padding_mode = sampling_padding::border}) == 4.0F);
  CHECK(sample_at(__builtin_nanf(""), 0, {.mode = sampling_mode::nearest}) == 0.0F);
}

TEST_CASE("the nearest pixel is the even one of two") {
  const grid_sample_options nearest{.mode = sampling_mode::nearest};
  CHECK(sample_at(0.1F, -0.1F, nearest) == 2.0F);
  CHECK(sample_at(0, 0, nearest) == 1.0F);
  CHECK(sample_at(0.9F, 0.5F, nearest) == 4.0F);
}

TEST_CASE("an affine map moves the centers of pixels") {
  const test_tensor map{{1, 2, 3}, {1, 0.5F, 0, 0, 2, 1}};
  check_values(values_of(fn::affine_grid, {map}, {.size = {1, 1, 2, 2}}),
               {-0.75, 0, 0.25, 0, -0.25, 2, 0.75, 2});
  check_values(values_of(fn::affine_grid, {map}, {.size = {1, 1, 2, 1}, .align_corners = true}),
               {-0.5, -1, 0.5, 3});
}
