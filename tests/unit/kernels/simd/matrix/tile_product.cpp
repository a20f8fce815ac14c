// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/tile_product.hpp"

#include <doctest/doctest.h>

#include "kernels/emulated_tiles.hpp"
#include "kernels/layer_case.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::conv2d_equals_reference;
using samples::linear_equals_reference;
using samples::values;
using tiled = emulation::with_tiles;

namespace {

/// Pixels of the block in tiles, or 0 if it is not computed on tiles.
int block_of(const conv2d_shape& s) {
  const simd::layer_blocking p = simd::blocking_of<tiled, std::uint8_t>(s);
  return p.by == simd::method::tiles ? p.tiles.block.pixels : 0;
}

template <class Shape>
void check(const Shape& shape, unsigned seed) {
  const linear_shape s = shape;
  CAPTURE(s.rows);
  CAPTURE(s.in_features);
  CAPTURE(s.out_features);
  CHECK(linear_equals_reference<tiled, std::uint8_t, std::uint8_t>(shape, values::random, seed));
  CHECK(linear_equals_reference<tiled, std::int8_t, std::int8_t>(shape, values::extreme, seed));
}

void check_conv2d(const conv2d_shape& s, unsigned seed) {
  CAPTURE(samples::describe(s));
  CHECK(conv2d_equals_reference<tiled, std::uint8_t, std::int8_t>(s, values::random, seed));
  CHECK(conv2d_equals_reference<tiled, std::int8_t, std::uint8_t>(s, values::extreme, seed));
}

/// The same for a layer whose blocks have that many tiles of pixels.
void check_conv2d(const conv2d_shape& s, int block, unsigned seed) {
  CAPTURE(samples::describe(s));
  CHECK(block_of(s) == block);
  check_conv2d(s, seed);
}

}  // namespace

TEST_CASE("linear on tiles equals the reference for all remainders") {
  const struct {
    linear_shape shape;
    int block;
  } cases[] = {
      {{16, 128, 64}, 1},    // one block
      {{32, 64, 128}, 1},    // two panels of one step
      {{100, 64, 50}, 1},    // 7 tiles of 15 pixels: the last moves back
      {{49, 65, 120}, 1},    // the last step of k moves back
      {{40, 127, 190}, 1},   //
      {{33, 130, 127}, 1},   //
      {{128, 62, 60}, 1},    // less than a step, and no multiple of four
      {{200, 20, 64}, 1},    //
      {{8, 1030, 64}, 1},    // half a tile
      {{2, 1030, 64}, 1},    // few rows, many weights
      {{70, 600, 90}, 2},    // six tiles of 12
      {{50, 576, 32}, 2},    // one panel
      {{100, 65, 90}, 2},    // six tiles of channels
      {{70, 1100, 90}, 2},   // streamed weights
      {{40, 1100, 960}, 2},  // two parts of k
      {{50, 2100, 512}, 2},  // three, the last one shorter
      {{70, 784, 10}, 4},    // few outputs
      {{190, 600, 48}, 4},   // twelve tiles in blocks of four
  };
  unsigned seed = 1;
  for (const auto& c : cases) {
    CHECK(block_of(simd::as_conv2d(c.shape)) == c.block);
    check(c.shape, seed++);
  }
}

TEST_CASE("linear on tiles equals the reference for compile-time shapes") {
  check(std::integral_constant<linear_shape, linear_shape{37, 200, 70}>{}, 1);
  check(std::integral_constant<linear_shape, linear_shape{70, 2100, 50}>{}, 2);
  check(std::integral_constant<linear_shape, linear_shape{40, 1100, 960}>{}, 3);
}

TEST_CASE("layers too small for tiles use dot products and equal the reference") {
  CHECK(block_of(simd::as_conv2d({1, 1024, 1024})) == 0);
  check(linear_shape{7, 300, 33}, 1);
  check(linear_shape{8, 16, 32}, 2);
}

TEST_CASE("accumulating the largest products does not saturate on tiles") {
  CHECK(block_of(simd::as_conv2d({16, 4096, 64})) == 1);
  check(linear_shape{16, 4096, 64}, 21);
}

TEST_CASE("conv2d on tiles equals the reference") {
  // In the order of conv2d_shape: N, H, W, C, O, kernel, stride, padding, dilation, groups.
  check_conv2d({1, 9, 14, 32, 64, 3, 3, 1, 1, 1, 1}, 1, 1);
  check_conv2d({2, 8, 20, 17, 40, 3, 3, 1, 1, 1, 1}, 4, 2);  // several images
  check_conv2d({1, 7, 7, 128, 48, 3, 3, 1, 1, 1, 1}, 4, 3);
  check_conv2d({1, 7, 7, 192, 64, 3, 3, 1, 1, 1, 1}, 2, 11);
  check_conv2d({1, 14, 15, 10, 64, 3, 3, 1, 1, 1, 1}, 1, 4);        // runs of 30 bytes
  check_conv2d({1, 20, 19, 16, 64, 3, 3, 1, 1, 0, 0}, 1, 5);        // no border
  check_conv2d({3, 6, 6, 64, 130, 1, 1}, 2, 6);                     // a matrix product
  check_conv2d({1, 14, 27, 96, 60, 1, 1, 2, 2}, 1, 7);              // 1x1 with a stride
  check_conv2d({2, 13, 13, 256, 60, 1, 1, 2, 2}, 1, 8);             // whose pixels are gathered
  check_conv2d({1, 12, 18, 20, 64, 3, 2, 1, 2, 2, 1, 2, 2}, 1, 9);  // dilated
  check_conv2d({1, 10, 11, 80, 160, 3, 3, 1, 1, 1, 1, 1, 1, 2}, 2, 10);  // groups
}

TEST_CASE("conv2d on tiles equals the reference where kernel rows are combined") {
  const struct {
    conv2d_shape shape;
    simd::row_bands bands;
    int block;
  } cases[] = {
      {{2, 14, 15, 3, 64, 7, 7, 2, 2, 3, 3}, {2, 1, true}, 1},     // spread, images of it
      {{1, 14, 15, 3, 64, 9, 9, 2, 2, 4, 4}, {2, 1, true}, 1},     // the last band has one row
      {{1, 13, 16, 3, 60, 5, 5, 1, 1, 2, 2}, {3, 1}, 1},           // two bands, three apart
      {{1, 12, 11, 8, 64, 3, 3, 1, 1, 2, 2, 2, 2}, {3, 1}, 1},     // dilated: runs of a tap
      {{2, 25, 66, 3, 128, 4, 4, 4, 4}, {4, 4}, 1},                // patches: a matrix product
      {{1, 9, 19, 40, 96, 3, 3, 1, 1, 1, 1, 2, 2, 2}, {3, 1}, 1},  // groups
  };
  unsigned seed = 50;
  for (const auto& c : cases) {
    const simd::layer_blocking p = simd::blocking_of<tiled, std::uint8_t>(c.shape);
    CHECK(p.tiles.bands.rows == c.bands.rows);
    CHECK(p.tiles.bands.pixels == c.bands.pixels);
    CHECK(p.tiles.bands.spread == c.bands.spread);
    check_conv2d(c.shape, c.block, seed++);
  }
  constexpr std::integral_constant<conv2d_shape, {1, 14, 15, 3, 64, 7, 7, 2, 2, 3, 3}> known;
  CHECK(conv2d_equals_reference<tiled, std::int8_t, std::int8_t>(known, values::random, seed));
}

TEST_CASE("conv2d on tiles equals the reference on random shapes, most of few channels") {
  const unsigned count = samples::seeds(40, 2);
  unsigned on_tiles = 0;
  unsigned in_bands = 0;
  samples::for_each_seed(count, [&](samples::generator& random, unsigned seed) {
    const auto from = [&](int lo, int hi) { return random.between(lo, hi); };
    conv2d_shape s{.batch = seed % 5 == 0 ? 2 : 1, .kernel_h = from(3, 7), .kernel_w = from(1, 4)};
    s.stride_h = from(1, 3);
    s.stride_w = from(1, 3);
    s.padding_h = from(0, 2);
    s.padding_w = from(0, 2);
    s.dilation_h = from(1, 2);
    s.dilation_w = from(0, 2) == 0 ? 2 : 1;
    s.in_h = from(4, 8) + s.dilation_h * (s.kernel_h - 1);
    s.in_w = from(10, 20) + s.dilation_w * (s.kernel_w - 1);
    s.groups = from(0, 3) == 0 ? 2 : 1;
    s.in_channels = s.groups * (seed % 8 == 0 ? from(25, 60) : from(1, 24));
    s.out_channels = s.groups * from(40, 70);
    const simd::layer_blocking p = simd::blocking_of<tiled, std::uint8_t>(s);
    on_tiles += p.by == simd::method::tiles;
    in_bands += p.tiles.bands.rows > 1;
    check_conv2d(s, seed);
  });
  CHECK(on_tiles > count / 2);
  CHECK(in_bands > count / 4);
}

TEST_CASE("linear on tiles equals the reference on random shapes") {
  const unsigned count = samples::seeds(40, 2);
  unsigned on_tiles = 0;
  samples::for_each_seed(count, [&](samples::generator& random, unsigned seed) {
    const linear_shape s{random.between(1, 70), random.between(1, 260), random.between(1, 150)};
    on_tiles += block_of(simd::as_conv2d(s)) > 0;
    check(s, seed);
  });
  CHECK(on_tiles > count / 2);
}
