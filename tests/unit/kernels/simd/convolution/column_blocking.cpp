// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/column_blocking.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "kernels/depthwise_shape.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::depthwise_shape;
using dot = simd::depthwise_dot<isa::native>;

namespace {

template <int KGroup, int Width = 8>
struct grouped {
  static constexpr int lanes = Width / KGroup, k_group = KGroup;
};
template <int KGroup>
using blocking = simd::column_blocking<grouped<KGroup>>;

// The rows that groups of four, and of two, have room for.
static_assert(blocking<4>{3, 1}.rows() == 2 && blocking<4>{3, 1}.groups(2) == 1);
static_assert(blocking<4>{3, 2}.rows() == 1 && blocking<4>{3, 2}.groups(1) == 1);
static_assert(blocking<4>{5, 1}.rows() == 4 && blocking<4>{5, 1}.groups(4) == 2);
static_assert(blocking<4>{5, 2}.rows() == 2 && blocking<4>{5, 2}.groups(2) == 2);
static_assert(blocking<2>{3, 1}.rows() == 2 && blocking<2>{3, 1}.groups(2) == 2);
static_assert(blocking<2>{5, 2}.rows() == 1 && blocking<2>{5, 2}.groups(1) == 3);
static_assert(blocking<2>{3, 1}.sees(0, 1) && !blocking<4>{3, 4}.sees(1, 0));

// The weights of a step: rows down a column; with stride 2 by four, the next column's first row
// too.
template <int KGroup>
constexpr bool weighs(const blocking<KGroup>& p, int step, int j, int channel, int row,
                      int column) {
  const simd::kernel_tap tap = p.tap_of(step, j, channel);
  return tap.row == row && (row < 0 || tap.column == column);
}
static_assert(weighs<4>({3, 1}, 2, 1, 0, 1, 1) && weighs<4>({3, 1}, 3, 1, 0, 0, 1));
static_assert(weighs<4>({3, 1}, 3, 0, 0, -1, 0) && weighs<2>({5, 2}, 4, 0, 0, 2, 1));
static_assert(weighs<4>({3, 2}, 0, 2, 0, 2, 0) && weighs<4>({3, 2}, 0, 3, 0, 0, 1));
static_assert(weighs<4>({3, 2}, 1, 0, 3, 1, 1) && weighs<4>({3, 2}, 1, 1, 4, -1, 0));
static_assert(weighs<4>({3, 2}, 1, 3, 4, 2, 1) && weighs<4>({3, 2}, 2, 3, 0, -1, 0));

constexpr bool on_integers = dot::k_group > 1;  // elsewhere the general kernel does everything
static_assert(simd::by_columns<dot>(depthwise_shape(128, 9, 9, 1, 0, 3)) == on_integers);
static_assert(simd::by_columns<dot>(depthwise_shape(128, 9, 9, 2, 0, 5)) == on_integers);
static_assert(!simd::by_columns<dot>(depthwise_shape(3, 9, 9, 1, 0, 3)));
static_assert(!simd::by_columns<dot>(depthwise_shape(128, 9, 9, 3, 0, 3)));
static_assert(simd::by_columns<dot>(depthwise_shape(128, 9, 9, 1, 0, 7)) == on_integers);
static_assert(!simd::by_columns<dot>(depthwise_shape(128, 9, 9, 1, 0, 4)));

}  // namespace

TEST_CASE("blocks cover all channels and end with the pixel") {
  using blocks = simd::column_blocks<dot>;
  for (int channels = blocks::narrow_width; channels <= 300; ++channels) {
    CAPTURE(channels);
    const blocks of{channels};
    std::vector<bool> done(static_cast<std::size_t>(channels));
    const auto mark = [&](int first, int width) {
      REQUIRE(first >= 0);
      REQUIRE(first + width <= channels);
      for (int i = first; i < first + width; ++i) done[static_cast<std::size_t>(i)] = true;
    };
    for (int i = 0; i < of.wide(); ++i) mark(of.wide_start(i), blocks::wide_width);
    for (int i = 0; i < of.narrow(); ++i) mark(of.narrow_start(i), blocks::narrow_width);
    CHECK(std::find(done.begin(), done.end(), false) == done.end());
    CHECK(of.wide() * blocks::wide_width + of.narrow() * blocks::narrow_width <
          channels + blocks::narrow_width + (blocks::has_wide ? 1 : 0));
  }
}
