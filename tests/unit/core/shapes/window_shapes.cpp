// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/shapes/window_shapes.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

// PyTorch: out = floor((in + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1.
constexpr conv2d_shape conv{.batch = 2,
                            .in_h = 28,
                            .in_w = 30,
                            .in_channels = 6,
                            .out_channels = 12,
                            .kernel_h = 3,
                            .kernel_w = 5,
                            .stride_h = 2,
                            .stride_w = 1,
                            .padding_h = 1,
                            .padding_w = 2,
                            .dilation_h = 1,
                            .dilation_w = 2,
                            .groups = 3};
static_assert(conv.out_h() == 14 && conv.out_w() == 26);
// A kernel that is larger than the image has no output, however far it would step.
static_assert(conv2d_shape{
                  .in_h = 2, .in_w = 1, .kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 3}
                  .out_h() == 0);
static_assert(conv2d_shape{
                  .in_h = 3, .in_w = 1, .kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 3}
                  .out_w() == 0);
static_assert(conv.padded_h() == 30 && conv.padded_w() == 34);
static_assert(conv.in_group() == 2 && conv.out_group() == 4 && !conv.depthwise());
static_assert(conv2d_shape{.in_channels = 8, .out_channels = 8, .groups = 8}.depthwise());
static_assert(!conv2d_shape{.in_channels = 8, .out_channels = 16, .groups = 8}.depthwise());

constexpr conv3d_shape volume{.batch = 2,
                              .in_d = 5,
                              .in_h = 7,
                              .in_w = 9,
                              .in_channels = 4,
                              .out_channels = 6,
                              .kernel_d = 3,
                              .kernel_h = 3,
                              .kernel_w = 1,
                              .stride_d = 2,
                              .stride_h = 1,
                              .stride_w = 2,
                              .padding_d = 1,
                              .dilation_h = 2,
                              .groups = 2};
static_assert(volume.out_d() == 3 && volume.out_h() == 3 && volume.out_w() == 5);

// The planes that a kernel reads are channels.
static_assert(volume.plane() == conv2d_shape{.batch = 1,
                                             .in_h = 7,
                                             .in_w = 9,
                                             .in_channels = 12,
                                             .out_channels = 6,
                                             .kernel_h = 3,
                                             .kernel_w = 1,
                                             .stride_w = 2,
                                             .dilation_h = 2,
                                             .groups = 2});

constexpr conv_transpose3d_shape larger{.batch = 2,
                                        .in_d = 3,
                                        .in_h = 4,
                                        .in_w = 5,
                                        .in_channels = 4,
                                        .out_channels = 6,
                                        .kernel_d = 3,
                                        .kernel_h = 2,
                                        .kernel_w = 1,
                                        .stride_d = 2,
                                        .stride_w = 3,
                                        .padding_d = 1,
                                        .output_padding_d = 1,
                                        .dilation_h = 2,
                                        .groups = 2};
static_assert(larger.out_d() == 6 && larger.out_h() == 6 && larger.out_w() == 13);
static_assert(larger.plane(2) == conv_transpose2d_shape{.batch = 1,
                                                        .in_h = 4,
                                                        .in_w = 5,
                                                        .in_channels = 8,
                                                        .out_channels = 6,
                                                        .kernel_h = 2,
                                                        .kernel_w = 1,
                                                        .stride_w = 3,
                                                        .dilation_h = 2,
                                                        .groups = 2});

TEST_CASE("planes that are kept are images of one convolution") {
  conv3d_shape s = volume;
  CHECK(!s.keeps_planes());
  s.kernel_d = s.stride_d = 1;
  s.padding_d = 0;
  CHECK(s.keeps_planes());
  CHECK(s.plane().batch == 10);
  CHECK(s.plane().in_channels == 4);
  s.padding_d = 1;
  CHECK(!s.keeps_planes());
}

TEST_CASE("no output is left of an image that is smaller than the kernel") {
  constexpr conv2d_shape s{.batch = 1,
                           .in_h = 2,
                           .in_w = 5,
                           .in_channels = 1,
                           .out_channels = 1,
                           .kernel_h = 3,
                           .kernel_w = 2,
                           .stride_h = 2,
                           .stride_w = 2,
                           .dilation_w = 3};
  CHECK(s.out_h() == 0);
  CHECK(s.out_w() == 1);
}

static_assert(conv2d_shape{.in_channels = 4, .out_channels = 4, .groups = 4}.depthwise());
static_assert(!conv2d_shape{.in_channels = 4, .out_channels = 8, .groups = 4}.depthwise());
static_assert(!conv2d_shape{.in_channels = 4, .out_channels = 4, .groups = 2}.depthwise());

}  // namespace
