// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/dense.hpp"

#include <doctest/doctest.h>

#include "kernels/layer_case.hpp"

using namespace ctq;
using isa_t = isa::native;

// Four full panels, two, one full panel, one of a single register, and a part of that, in this
// order.
using dot = kernels::simd::int8_dot<isa_t>;
using narrow = kernels::simd::narrow_dot_of<dot>;
constexpr int lanes = dot::lanes;
constexpr int channels = 15 * lanes + 3;

namespace {

constexpr kernels::simd::panels<dot> panels_of(int rows, int features, int outputs) {
  return kernels::simd::panels<dot>(
      kernels::simd::as_conv2d(linear_shape{rows, features, outputs}));
}
constexpr bool follow_each_other(int rows) {
  for (int outputs = 1; outputs <= 5 * lanes; ++outputs) {
    const auto of = panels_of(rows, 64, outputs);
    int next = 0;
    for (int i = 0; i < of.count(); ++i) {
      if (of.first(i) != next || of.used(i) <= 0 || of.used(i) > of.vectors(i) * lanes)
        return false;
      next += of.used(i);
    }
    if (next != outputs) return false;
  }
  return true;
}
static_assert(follow_each_other(1) && follow_each_other(100));

// What is too much for a register is one of two, or has a narrow one of its own.
constexpr bool has_narrow = narrow::lanes < lanes;
static_assert(panels_of(1, 64, lanes + narrow::lanes).count() == 1);
static_assert(panels_of(8, 64, lanes + narrow::lanes).count() == 1 + has_narrow);
static_assert(panels_of(8, 64, lanes + narrow::lanes + 1).count() == (has_narrow ? 1 : 2));

// Packed weights of an image are those of its parts, however large a pixel.
constexpr conv2d_shape large = kernels::simd::as_conv2d({9, 300'000, lanes + 1});
static_assert(kernels::simd::part_of<dot>(large).in_w < 9);
static_assert(kernels::simd::panels<dot>(kernels::simd::part_of<dot>(large)).count() ==
              kernels::simd::panels<dot>(large).count());

template <int Rows, int Channels = channels, int Features = 21>
bool constant_shape_equals_reference(unsigned seed) {
  constexpr linear_shape s{Rows, Features, Channels};
  return samples::linear_equals_reference<isa_t, std::uint8_t, std::uint8_t>(
      std::integral_constant<linear_shape, s>{}, samples::values::extreme, seed);
}

}  // namespace

TEST_CASE("one row processes four panels at once, then two, then single ones") {
  CHECK(constant_shape_equals_reference<1>(1));
}

TEST_CASE("rows of one tile and of several give the same bytes for a panel of any width") {
  CHECK(constant_shape_equals_reference<dot::tile_rows>(2));
  CHECK(constant_shape_equals_reference<dot::tile_rows + 1>(3));
}

TEST_CASE("channels that fill a register or less of it give the same bytes") {
  constexpr int rows = 2 * dot::tile_rows - 1;  // tiles of two sizes
  CHECK(constant_shape_equals_reference<rows, lanes>(4));
  CHECK(constant_shape_equals_reference<rows, narrow::lanes>(5));
  CHECK(constant_shape_equals_reference<rows, 3 * lanes + 3, 64>(6));
  CHECK(constant_shape_equals_reference<3, 5>(7));
}
