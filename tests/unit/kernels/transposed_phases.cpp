// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/transposed_phases.hpp"

#include <doctest/doctest.h>

using namespace ctq;
using namespace ctq::kernels;

namespace {

// Kernel 3, stride 2, padding 1, 7 outputs of 4 inputs: even outputs read the middle tap, odd ones
// the outer taps, of two inputs that follow each other.
static_assert(transposed_phase_of(0, 7, 3, 2, 1, 1) == transposed_phase{.out_first = 0,
                                                                        .out_count = 4,
                                                                        .first_tap = 1,
                                                                        .tap_step = 2,
                                                                        .taps = 1,
                                                                        .in_first = 0,
                                                                        .in_step = 1});
static_assert(transposed_phase_of(1, 7, 3, 2, 1, 1) == transposed_phase{.out_first = 1,
                                                                        .out_count = 3,
                                                                        .first_tap = 0,
                                                                        .tap_step = 2,
                                                                        .taps = 2,
                                                                        .in_first = 0,
                                                                        .in_step = 1});
// Kernel 4, stride 2, padding 1: one phase reads a column before the image and one a column after
// it. Both find it between two rows.
constexpr transposed_phases both_sides({1, 4, 5, 8, 12, 4, 4, 2, 2, 1, 1});
static_assert(both_sides.w.before == 1 && both_sides.w.after == 1);
static_assert(both_sides.border() == 1 && both_sides.padded_w() == 6 && both_sides.padded_h() == 6);
static_assert(both_sides.convolution(0).out_w() == 5);
static_assert(both_sides.first_pixel(0) == 0 && both_sides.first_pixel(3) == 7);
// Stride 1: the only phase reads columns on both sides.
static_assert(transposed_phases({1, 4, 5, 8, 12, 3, 3, 1, 1, 1, 1}).padded_w() == 7);
// Dilation 2 with stride 2: one phase reads all taps, the other nothing.
static_assert(transposed_phase_of(0, 9, 3, 2, 0, 2).taps == 3);
static_assert(transposed_phase_of(0, 9, 3, 2, 0, 2).in_first == -2);
static_assert(transposed_phase_of(1, 9, 3, 2, 0, 2).taps == 0);

constexpr transposed_phases unet(conv_transpose2d_shape{1, 4, 5, 8, 12, 2, 2, 2, 2});
static_assert(unet.count() == 4 && !unet.pads());
static_assert(unet.convolution(3) == conv2d_shape{1, 4, 5, 8, 12, 1, 1});
static_assert(unet.images_together == 1);

// Several images, as many as have 65536 outputs in a phase.
constexpr transposed_phases batch_of(int images, int size) {
  return transposed_phases({images, size, size, 8, 16, 2, 2, 2, 2});
}
static_assert(batch_of(6, 4).images_together == 6 && batch_of(6, 4).convolution(0).batch == 6);
static_assert(batch_of(6, 32).images_together == 3);  // 16384 each, and four do not divide six
static_assert(batch_of(6, 64).images_together == 1 && batch_of(0, 4).images_together == 1);
// A kernel of three without outputs at the end: some phases read two rows, none a border.
static_assert(transposed_phases({2, 4, 4, 8, 16, 3, 3, 2, 2, 1, 1}).images_together == 2);
// Images with a border, and rows that no output reads.
static_assert(transposed_phases({2, 4, 4, 8, 16, 4, 4, 2, 2, 1, 1}).images_together == 1);
static_assert(transposed_phases({2, 4, 4, 8, 16, 2, 1, 2, 1, 2, 0}).images_together == 1);

/// Each tap of each output is in just one phase, and at the input that the definition says.
constexpr bool covers_all(int in, int kernel, int stride, int padding, int output_padding,
                          int dilation) {
  const int out = (in - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1;
  int pairs = 0;
  for (int i = 0; i < (stride < out ? stride : out); ++i) {
    const transposed_phase p = transposed_phase_of(i, out, kernel, stride, padding, dilation);
    for (int j = 0; j < p.out_count; ++j)
      for (int t = 0; t < p.taps; ++t, ++pairs) {
        const int y = p.out_first + j * stride;
        const int tap = p.first_tap + t * p.tap_step;
        const int x = p.in_first + (p.taps - 1 - t) * p.in_step + j;
        if (tap >= kernel || y >= out || x * stride != y + padding - tap * dilation) return false;
      }
  }
  int expected = 0;
  for (int y = 0; y < out; ++y)
    for (int tap = 0; tap < kernel; ++tap)
      expected += (y + padding - tap * dilation) % stride == 0 ? 1 : 0;
  return pairs == expected;
}
static_assert(covers_all(5, 3, 2, 1, 1, 1) && covers_all(4, 5, 3, 0, 2, 2) &&
              covers_all(3, 2, 4, 1, 3, 3) && covers_all(6, 4, 1, 3, 0, 1) &&
              covers_all(3, 1, 3, 0, 0, 1));

// Along the depth: a kernel of three planes and stride 2 reads one plane, or two.
constexpr transposed_planes deep({1, 3, 2, 2, 4, 5, 3, 2, 2, 2, 2, 2, 1, 0, 0, 1});
static_assert(deep.count() == 2 && deep.depth(0).taps == 1 && deep.depth(1).taps == 2);
static_assert(deep.reads_in_place(0) && !deep.reads_in_place(1));
static_assert(deep.planes(1).kernel_d == 2 && deep.planes(1).out_d() == 2);
static_assert(deep.convolution(1).in_channels == 8 && deep.convolution(1).out_h() == 4);
// One of four planes begins with a plane before the image.
constexpr transposed_planes early({1, 3, 2, 2, 4, 5, 4, 2, 2, 2, 2, 2, 1});
static_assert(early.planes(0).padding_d == 1 && early.planes(1).padding_d == 0);
// A plane of padding is not read in place, though each output reads one plane.
constexpr transposed_planes past_the_end({1, 2, 3, 3, 3, 4, 1, 1, 2, 1, 1, 1, 0, 0, 0, 1, 0, 0, 2});
static_assert(!past_the_end.reads_in_place(0) && past_the_end.depth(0).out_count == 3);

/// Whether what a phase reads to the left and right of a row is border, not an input of another
/// row.
bool reads_in_border(const transposed_phases& p) {
  for (int phase = 0; phase < p.count(); ++phase) {
    const transposed_phase x = p.column(phase);
    const int end = x.in_first + (x.taps - 1) * x.in_step + x.out_count;
    if (x.taps > 0 && (-x.in_first > p.border() || end > p.shape.in_w + p.border() ||
                       p.convolution(phase).out_w() < x.out_count))
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("phases read no input of another row") {
  for (int kernel = 1; kernel < 6; ++kernel)
    for (int stride = 1; stride < 5; ++stride)
      for (int dilation = 1; dilation < 4; ++dilation)
        for (int padding = 0; padding < 3; ++padding)
          for (int more = 0; more < stride || more < dilation; ++more) {
            const conv_transpose2d_shape s{1,       4,      4,      1,        1,
                                           kernel,  kernel, stride, stride,   padding,
                                           padding, more,   more,   dilation, dilation};
            if (s.out_w() > 0) CHECK(reads_in_border(transposed_phases(s)));
          }
}

TEST_CASE("every output of a transposed convolution is in one phase") {
  for (int kernel = 1; kernel < 6; ++kernel)
    for (int stride = 1; stride < 5; ++stride)
      for (int dilation = 1; dilation < 4; ++dilation)
        for (int padding = 0; padding < 3; ++padding)
          if (3 * stride - 2 * padding + dilation * (kernel - 1) >= 0)
            CHECK(covers_all(4, kernel, stride, padding, 0, dilation));
}
