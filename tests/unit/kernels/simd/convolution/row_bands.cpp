// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/row_bands.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using simd::banded;
using simd::can_band;
using simd::row_bands;

namespace {

constexpr conv2d_shape colours{.batch = 1,
                               .in_h = 224,
                               .in_w = 224,
                               .in_channels = 3,
                               .out_channels = 64,
                               .kernel_h = 7,
                               .kernel_w = 7,
                               .stride_h = 2,
                               .stride_w = 2,
                               .padding_h = 3,
                               .padding_w = 3};

// Space to depth: a 4x4 convolution of 12 channels, each pixel there once.
constexpr conv2d_shape in_depth{.batch = 1,
                                .in_h = 115,
                                .in_w = 115,
                                .in_channels = 12,
                                .out_channels = 64,
                                .kernel_h = 4,
                                .kernel_w = 4};
static_assert(banded(colours, {2, 2}) == in_depth);
// All rows of the kernel in one band: 112 bands of 7 rows.
static_assert(banded(colours, {7, 1}).kernel_h == 1);
static_assert(banded(colours, {7, 1}).in_h == 112);
static_assert(banded(colours, {7, 1}).stride_w == 2);
// Two bands that are two apart, four rows each.
static_assert(banded(colours, {4, 2}).dilation_h == 2);
static_assert(banded(colours, {4, 2}).in_h == 114);

static_assert(can_band(colours, {2, 1}));
static_assert(!can_band(colours, {3, 1}));  // the second would begin between two
static_assert(!can_band(colours, {2, 3}));

conv2d_shape random_shape(samples::generator& random) {
  const auto from = [&](int lo, int hi) { return random.between(lo, hi); };
  conv2d_shape s{.batch = 1, .out_channels = 1, .kernel_h = from(1, 7), .kernel_w = from(1, 5)};
  s.stride_h = from(1, 3);
  s.stride_w = from(1, 3);
  s.padding_h = from(0, 3);
  s.padding_w = from(0, 3);
  s.dilation_h = from(1, 3);
  s.dilation_w = from(1, 2);
  s.in_h = from(1, 9) + s.dilation_h * (s.kernel_h - 1);
  s.in_w = from(1, 12) + s.dilation_w * (s.kernel_w - 1);
  s.groups = from(0, 2) == 0 ? from(2, 3) : 1;
  s.in_channels = s.groups * from(1, 21);
  s.out_channels = s.groups;
  return s;
}

std::vector<row_bands> all_bands(const conv2d_shape& s) {
  std::vector<row_bands> all;
  for (int rows = 1; rows <= s.kernel_h; ++rows) {
    for (int pixels = 1; pixels <= s.stride_w; ++pixels) {
      const row_bands b{rows, pixels};
      if (can_band(s, b) && s.in_group() * pixels <= simd::longest_band_copy) all.push_back(b);
    }
    if (const row_bands b{rows, 1, true}; can_band(s, b)) all.push_back(b);
  }
  return all;
}

}  // namespace

TEST_CASE("a convolution of bands has the outputs of the convolution, and each weight once") {
  samples::for_each_seed(200, [](samples::generator& random, unsigned) {
    const conv2d_shape s = random_shape(random);
    for (const row_bands& b : all_bands(s)) {
      const conv2d_shape t = banded(s, b);
      CHECK(t.out_h() == s.out_h());
      CHECK(t.out_w() == s.out_w());
      const int weights = s.kernel_h * s.kernel_w * s.in_group();
      std::vector<int> times(static_cast<std::size_t>(weights));
      for (int k = 0; k < t.kernel_h * t.kernel_w * t.in_group(); ++k) {
        const int weight = simd::unbanded_weight(s, b, k);
        if (weight >= 0) ++times.at(static_cast<std::size_t>(weight));
      }
      CHECK(times == std::vector<int>(times.size(), 1));
    }
  });
}

TEST_CASE("what a kernel reads of bands is what it reads of the image and its border") {
  samples::for_each_seed(100, [](samples::generator& random, unsigned seed) {
    const conv2d_shape s = random_shape(random);
    const auto values = samples::integers<std::uint8_t>(
        static_cast<std::size_t>(s.in_h * s.in_w * s.in_channels), seed);
    const samples::fenced<std::uint8_t> in(values);
    constexpr int zero_point = 77;
    for (const row_bands& b : all_bands(s)) {
      const auto end = static_cast<std::size_t>(simd::band_lines_of(s, b).end);
      const samples::guarded<std::uint8_t> out(end + simd::longest_band_copy);
      simd::copy_in_bands(s, b, in.data(), zero_point, out.data());
      CHECK(out.margin_intact());

      const conv2d_shape t = banded(s, b);
      const int channels = s.in_group();
      int wrong = 0;
      for (int y = 0; y < s.out_h(); ++y) {
        for (int x = 0; x < s.out_w(); ++x) {
          for (int k = 0; k < s.groups * t.kernel_h * t.kernel_w * t.in_group(); ++k) {
            const int group = k / (t.kernel_h * t.kernel_w * t.in_group());
            const int index = k % (t.kernel_h * t.kernel_w * t.in_group());
            const int weight = simd::unbanded_weight(s, b, index);
            if (weight < 0) continue;
            const int tap = weight / channels;
            const int from_y = y * s.stride_h + tap / s.kernel_w * s.dilation_h - s.padding_h;
            const int from_x = x * s.stride_w + tap % s.kernel_w * s.dilation_w - s.padding_w;
            const bool inside = from_y >= 0 && from_y < s.in_h && from_x >= 0 && from_x < s.in_w;
            const int from = (from_y * s.in_w + from_x) * s.in_channels + group * channels;
            const int expected =
                inside ? values[static_cast<std::size_t>(from + weight % channels)] : zero_point;

            const int t_tap = index / t.in_group();
            const int t_y = y + t_tap / t.kernel_w * t.dilation_h;
            const int t_x = x * t.stride_w + t_tap % t.kernel_w * t.dilation_w;
            const int at = (t_y * t.in_w + t_x) * t.in_channels + group * t.in_group();
            wrong += out.data()[at + index % t.in_group()] != expected;
          }
        }
      }
      CHECK(wrong == 0);
    }
  });
}
