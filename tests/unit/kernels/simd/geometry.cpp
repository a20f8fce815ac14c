// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/geometry.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#include "kernels/generator.hpp"

using namespace ctq;
using namespace ctq::kernels;
using namespace ctq::kernels::simd;

namespace {

/// Registers of any size, which no machine has to have: only sizes matter here.
template <int Lanes, int Group>
struct sized_dot {
  using element = std::int8_t;
  using weight = std::int8_t;
  static constexpr int lanes = Lanes;
  static constexpr int k_group = Group;
};
struct dot_with_narrow : sized_dot<16, 4> {};

}  // namespace

template <>
struct ctq::kernels::simd::narrower<dot_with_narrow> {
  using type = sized_dot<8, 4>;
};

namespace {

static_assert(ceil_div(0, 4) == 0 && ceil_div(1, 4) == 1 && ceil_div(4, 4) == 1 &&
              ceil_div(5, 4) == 2);
static_assert(round_up(0, 64) == 0 && round_up(1, 64) == 64 && round_up(64, 64) == 64);

constexpr conv2d_shape pointwise{2, 3, 5, 8, 6, 1, 1};
static_assert(is_pointwise(pointwise) && !has_one_pixel(pointwise));
static_assert(flattened(pointwise) == conv2d_shape{1, 1, 30, 8, 6, 1, 1});
constexpr conv2d_shape strided{2, 3, 5, 8, 6, 1, 1, 2, 1};
static_assert(!is_pointwise(strided) && flattened(strided) == strided);
static_assert(!is_pointwise({1, 3, 5, 8, 6, 1, 1, 1, 1, 0, 1}));
static_assert(!is_pointwise({1, 3, 5, 8, 6, 1, 2}));
static_assert(has_one_pixel({1, 3, 3, 2, 70, 3, 3}));
static_assert(is_depthwise({1, 4, 4, 8, 8, 3, 3, 1, 1, 0, 0, 1, 1, 8}));
static_assert(!is_depthwise({1, 4, 4, 1, 1, 3, 3}));  // one channel: dense is faster

// What is asked of a constant shape is computed by the compiler, of another one at run time.
constexpr auto width_of = [](const conv2d_shape& s) { return s.in_w; };
static_assert(constant_shape<std::integral_constant<conv2d_shape, pointwise>>);
static_assert(!constant_shape<conv2d_shape>);
static_assert(evaluated(std::integral_constant<conv2d_shape, pointwise>{}, width_of) == 5);

conv2d_shape random_shape(samples::generator& random) {
  const auto from = [&](int lo, int hi) { return random.between(lo, hi); };
  conv2d_shape s{.batch = from(1, 2), .kernel_h = from(1, 3), .kernel_w = from(1, 3)};
  s.stride_h = from(1, 3);
  s.stride_w = from(1, 3);
  s.padding_h = from(0, 2);
  s.padding_w = from(0, 2);
  s.dilation_h = from(1, 3);
  s.dilation_w = from(1, 3);
  s.in_h = from(1, 4) + s.dilation_h * (s.kernel_h - 1);
  s.in_w = from(1, 4) + s.dilation_w * (s.kernel_w - 1);
  s.groups = from(0, 1) == 0 ? 1 : from(2, 3);
  s.in_channels = s.groups * from(1, 9);
  s.out_channels = s.groups * from(1, 5);
  return s;
}

/// The index in an image with its border of what an output pixel reads.
std::ptrdiff_t read_by(const conv2d_shape& s, int y, int x, int ky, int kx, int channel) {
  const int row = y * s.stride_h + ky * s.dilation_h;
  const int column = x * s.stride_w + kx * s.dilation_w;
  return (std::ptrdiff_t{row} * (s.in_w + 2 * s.padding_w) + column) * s.in_channels + channel;
}

template <class Dot>
void check_panels(const conv2d_shape& s) {
  const panels<Dot> of(s);
  CAPTURE(s.out_channels);
  int next = 0;
  for (int panel = 0; panel < of.count(); ++panel) {
    CHECK(of.first(panel) == next);
    CHECK(of.used(panel) > 0);
    CHECK(of.used(panel) <= of.vectors(panel) * Dot::lanes);
    // No register is there for nothing.
    CHECK(of.used(panel) > (of.vectors(panel) - 1) * Dot::lanes);
    next += of.used(panel);
  }
  CHECK(next == s.out_group());
}

template <class Dot>
conv2d_shape pixels_of(int channels, int pixels, int in_channels = 64) {
  return {.batch = 1,
          .in_h = 1,
          .in_w = pixels,
          .in_channels = in_channels,
          .out_channels = channels,
          .kernel_h = 1,
          .kernel_w = 1};
}

}  // namespace

TEST_CASE("strides lead to what an output pixel reads, from the first") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    samples::generator random(seed);
    const conv2d_shape s = random_shape(random);
    const strides by = strides_of(s);
    CHECK(by.out == s.out_channels);
    bool right = true;
    for (int y = 0; y < s.out_h(); ++y)
      for (int x = 0; x < s.out_w(); ++x)
        for (int ky = 0; ky < s.kernel_h; ++ky)
          for (int kx = 0; kx < s.kernel_w; ++kx)
            right = right &&
                    y * by.y + x * by.x + ky * by.row + kx * by.tap == read_by(s, y, x, ky, kx, 0);
    CHECK(right);
  }
}

TEST_CASE(
    "the runs under a kernel are its elements in order, and none is longer than what touches") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    samples::generator random(seed);
    const conv2d_shape s = random_shape(random);
    for (const int k_group : {1, 4, 64}) {
      const k_runs runs = runs_of(s, k_group);
      const strides by = strides_of(s);
      std::vector<std::ptrdiff_t> read, read_in_two_loops, wanted;
      const auto read_run = [&](std::vector<std::ptrdiff_t>& into) {
        return [&](std::ptrdiff_t at) {
          for (int k = 0; k < runs.length; ++k) into.push_back(at + k);
        };
      };
      for_k_runs<false>(runs, by, read_run(read));
      for_k_runs<true>(runs, by, read_run(read_in_two_loops));
      for (int ky = 0; ky < s.kernel_h; ++ky)
        for (int kx = 0; kx < s.kernel_w; ++kx)
          for (int c = 0; c < s.in_group(); ++c) wanted.push_back(read_by(s, 0, 0, ky, kx, c));
      CHECK(read == wanted);
      CHECK(read_in_two_loops == wanted);
      CHECK(runs.steps * k_group >= runs.length);
      CHECK((runs.steps - 1) * k_group < runs.length);
      CHECK(runs.total_steps() == runs.rows * runs.taps * runs.steps);
    }
  }
}

TEST_CASE("panels have each channel of a group once, in order, and no empty register") {
  for (int channels = 1; channels <= 140; ++channels) {
    for (const int pixels : {1, fewest_pixels - 1, fewest_pixels, 100}) {
      check_panels<sized_dot<1, 1>>(pixels_of<sized_dot<1, 1>>(channels, pixels));
      check_panels<sized_dot<4, 4>>(pixels_of<sized_dot<4, 4>>(channels, pixels));
      check_panels<dot_with_narrow>(pixels_of<dot_with_narrow>(channels, pixels));
    }
  }
}

TEST_CASE(
    "what a narrow register holds beside a whole one is a panel of its own, if there is work") {
  const auto count = [](int channels, int pixels, int in_channels = 64) {
    return panels<dot_with_narrow>(pixels_of<dot_with_narrow>(channels, pixels, in_channels))
        .count();
  };
  CHECK(count(16, 100) == 1);
  CHECK(count(17, 100) == 2);
  CHECK(count(24, 100) == 2);
  CHECK(count(25, 100) == 1);
  CHECK(count(32 + 24, 100) == 3);
  CHECK(count(24, fewest_pixels - 1) == 1);
  CHECK(count(24, fewest_pixels) == 2);
  CHECK(count(24, 100, 60) == 1);  // 15 steps of four products
  CHECK(panels<sized_dot<16, 4>>(pixels_of<sized_dot<16, 4>>(24, 100)).count() == 1);
}

TEST_CASE("a part of a matrix product fits in L2 and keeps the panels of the whole") {
  using dot = sized_dot<16, 4>;
  for (const int in_channels : {64, 1024, 5000, 1 << 16, 1 << 20}) {
    for (const int pixels : {1, 7, 8, 100, 2048, 50000}) {
      const conv2d_shape s = pixels_of<dot>(24, pixels, in_channels);
      const conv2d_shape part = part_of<dot>(s);
      CHECK(part.in_w >= std::min(pixels, fewest_pixels));
      CHECK(part.in_w <= pixels);
      if (part.in_w > fewest_pixels)
        CHECK(std::int64_t{part.in_w} * in_channels <= std::int64_t{512} * 1024 + in_channels);
      CHECK(panels<dot>(part).count() == panels<dot>(s).count());
      // Parts are of one size but for the last.
      const int parts = ceil_div(pixels, part.in_w);
      CHECK(part.in_w - ceil_div(pixels, parts) <= std::max(part.in_w / parts, fewest_pixels));
    }
  }
  const conv2d_shape window{1, 100, 1000, 512, 24, 3, 3};
  CHECK(part_of<dot>(window) == window);
}

TEST_CASE("a block is biases, multipliers and weights, contiguously") {
  using layout = block_layout<sized_dot<8, 4>>;
  static_assert(layout::vec_bytes == 32 && layout::weight_bytes == 32);
  constexpr layout two{2, 5};
  CHECK(two.multipliers() == 2 * 32);
  CHECK(two.weights() == 4 * 32);
  CHECK(two.bytes() == two.weights() + 5 * 2 * 32);
}

TEST_CASE("tiles have each output pixel once, those of a tile contiguous, in at most two sizes") {
  for (int out_h = 0; out_h <= 9; ++out_h) {
    for (int out_w = 0; out_w <= 40; ++out_w) {
      for (int most = 1; most <= 14; ++most) {
        const tiling tiles = tiles_of(out_h, out_w, most);
        std::vector<int> times(static_cast<std::size_t>(out_h * out_w));
        int count = 0;
        for (const band& b : {tiles.large, tiles.small}) {
          CHECK((b.occurring() == 0 || (b.occurring() == b.rows && b.rows > 0)));
          for (int i = 0; i < b.y_count; ++i)
            for (int j = 0; j < b.x_count; ++j, ++count)
              for (int k = 0; k < b.rows; ++k)
                ++times.at(static_cast<std::size_t>((b.y + i * b.y_step) * out_w + b.x +
                                                    j * b.x_step + k));
        }
        const bool once = std::all_of(times.begin(), times.end(), [](int n) { return n == 1; });
        CAPTURE(out_h);
        CAPTURE(out_w);
        CAPTURE(most);
        CHECK(once);
        CHECK(tiles.large.occurring() <= most);
        CHECK(tiles.small.occurring() <= most);
        if (out_h * out_w > 0) CHECK(tiles.count() >= ceil_div(out_h * out_w, most));
      }
    }
  }
}
