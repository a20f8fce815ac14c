// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From options and shapes to the shape record of the kernel.

#include <doctest/doctest.h>

#include <vector>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

constexpr shape image{2, 3, 28, 30};

template <class Shape, class Op>
constexpr Shape sizes(const Op& op, const typename Op::options& o, const shape& in,
                      const shape& out = {}) {
  return from_block<Shape>(op.id()->descriptor->schedule.sizes(attributes{o}, in, out));
}

constexpr conv2d_shape conv = sizes<conv2d_shape>(nn::conv2d,
                                                  {.in_channels = 3,
                                                   .out_channels = 6,
                                                   .kernel_size = {3, 5},
                                                   .stride = {1, 2},
                                                   .padding = {0, 2},
                                                   .dilation = {2, 1},
                                                   .groups = 3},
                                                  image);
static_assert(conv == conv2d_shape{.batch = 2,
                                   .in_h = 28,
                                   .in_w = 30,
                                   .in_channels = 3,
                                   .out_channels = 6,
                                   .kernel_h = 3,
                                   .kernel_w = 5,
                                   .stride_h = 1,
                                   .stride_w = 2,
                                   .padding_h = 0,
                                   .padding_w = 2,
                                   .dilation_h = 2,
                                   .dilation_w = 1,
                                   .groups = 3});
static_assert(conv.out_h() == 24 && conv.out_w() == 15);

constexpr pool_shape max = sizes<pool_shape>(
    nn::max_pool2d,
    {.kernel_size = {2, 3}, .stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}}, image,
    {2, 3, 15, 26});
static_assert(max == pool_shape{.batch = 2,
                                .in_h = 28,
                                .in_w = 30,
                                .channels = 3,
                                .out_h = 15,
                                .out_w = 26,
                                .kernel_h = 2,
                                .kernel_w = 3,
                                .stride_h = 2,
                                .stride_w = 1,
                                .padding_h = 1,
                                .padding_w = 0,
                                .dilation_h = 1,
                                .dilation_w = 2});

constexpr shape half{2, 3, 14, 15};
static_assert(sizes<pool_shape>(nn::avg_pool2d, {.kernel_size = 2, .stride = 2}, image, half)
                  .divisor == pool_shape::padded_pixels);
static_assert(sizes<pool_shape>(nn::avg_pool2d,
                                {.kernel_size = 2, .stride = 2, .count_include_pad = false}, image,
                                half)
                  .divisor == pool_shape::input_pixels);
static_assert(
    sizes<pool_shape>(nn::avg_pool2d, {.kernel_size = 2, .stride = 2}, image, half).adaptive == 0);

constexpr pool_shape adaptive = sizes<pool_shape>(nn::adaptive_avg_pool2d, {}, image, {2, 3, 1, 7});
static_assert(adaptive.adaptive == 1 && adaptive.out_h == 1 && adaptive.out_w == 7 &&
              adaptive.in_w == 30 && adaptive.channels == 3);

// One input of a cat: 5 of 9 channels, behind 3 others.
constexpr shape joined{2, 9, 4, 5};
static_assert(descriptors::cat_sizes(joined, layout::nhwc, 1, 5, 3) == concat_shape{40, 5, 9, 3});
static_assert(descriptors::cat_sizes(joined, layout::nchw, 1, 5, 3) ==
              concat_shape{2, 100, 180, 60});
// Along the batch, height and width.
static_assert(descriptors::cat_sizes(joined, layout::nhwc, 0, 1, 1) ==
              concat_shape{1, 180, 360, 180});
static_assert(descriptors::cat_sizes(joined, layout::nhwc, 2, 1, 3) ==
              concat_shape{2, 45, 180, 135});
static_assert(descriptors::cat_sizes(joined, layout::nhwc, 3, 2, 3) == concat_shape{8, 18, 45, 27});
static_assert(descriptors::cat_sizes({4, 6}, layout::nchw, 1, 2, 4) == concat_shape{4, 2, 6, 4});
static_assert(descriptors::cat_sizes({7}, layout::nchw, 0, 3, 4) == concat_shape{1, 3, 7, 4});

/// Where element (n, c, h, w) lies.
std::size_t index(const shape& s, layout order, const int (&at)[4]) {
  const bool nhwc = order == layout::nhwc;
  const int axes[4] = {0, nhwc ? 2 : 1, nhwc ? 3 : 2, nhwc ? 1 : 3};
  std::size_t i = 0;
  for (const int axis : axes)
    i = i * static_cast<std::size_t>(s[axis]) + static_cast<std::size_t>(at[axis]);
  return i;
}

TEST_CASE("rows copied as the shape says put every element where cat puts it") {
  for (const layout order : {layout::nchw, layout::nhwc})
    for (int dim = 0; dim < 4; ++dim) {
      shape a{2, 3, 4, 5};
      shape b = a;
      b[dim] = 2;
      shape out = a;
      out[dim] = a[dim] + 2;
      std::vector<int> joined_values(numel(out), -1);
      int before = 0;
      for (const shape& in : {a, b}) {
        const concat_shape s = descriptors::cat_sizes(out, order, dim, in[dim], before);
        for (int row = 0; row < s.rows; ++row)
          for (int i = 0; i < s.in_width; ++i)
            joined_values[static_cast<std::size_t>(row * s.out_width + s.offset + i)] =
                1000 * before + row * s.in_width + i;
        before += in[dim];
      }
      int at[4];
      for (at[0] = 0; at[0] < out[0]; ++at[0])
        for (at[1] = 0; at[1] < out[1]; ++at[1])
          for (at[2] = 0; at[2] < out[2]; ++at[2])
            for (at[3] = 0; at[3] < out[3]; ++at[3]) {
              const bool second = at[dim] >= a[dim];
              int from[4] = {at[0], at[1], at[2], at[3]};
              if (second) from[dim] -= a[dim];
              const auto expected = static_cast<int>(index(second ? b : a, order, from));
              CHECK(joined_values[index(out, order, at)] ==
                    expected + (second ? 1000 * a[dim] : 0));
            }
    }
}

}  // namespace
