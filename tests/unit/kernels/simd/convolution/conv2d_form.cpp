// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/conv2d_form.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "ctq/kernels/simd/arch/all_dots.hpp"
#include "kernels/square_shape.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

namespace {

constexpr conv2d_shape square(int size, int in, int out, int kernel, int groups = 1) {
  return samples::square_shape(kernel, 1, in, out, size, groups);
}
constexpr simd::conv2d_form form(const conv2d_shape& s) {
  return simd::form_of<isa_t, std::uint8_t>(s);
}

// Depthwise: neither the size of the image nor the channels, but the kernel.
constexpr auto depthwise = form(square(28, 128, 128, 3, 128));
static_assert(depthwise.by == simd::method::depthwise);
static_assert(form(square(56, 256, 256, 3, 256)) == depthwise);
static_assert(!depthwise.by_columns || !(form(square(28, 128, 128, 5, 128)) == depthwise));
// Of large kernels nor whether the last channels fill half of a wide block.
static_assert(form(square(28, 256, 256, 5, 256)) == form(square(28, 224, 224, 5, 224)));

// Dense: images whose tiles are of the same sizes, and numbers of channels that fill registers.
constexpr auto dense = simd::dense_form<simd::int8_dot<isa_t>>(square(28, 256, 256, 3));
static_assert(simd::dense_form<simd::int8_dot<isa_t>>(square(28, 512, 1024, 3)) == dense);
static_assert(!(simd::dense_form<simd::int8_dot<isa_t>>(square(28, 256, 257, 3)) == dense));
static_assert(!(simd::dense_form<simd::int8_dot<isa_t>>(square(28, 256, 256, 1)) == dense));
static_assert(dense.one && !dense.two && !dense.four && dense.partial[0].vectors == 0);
static_assert(dense.large <= simd::int8_dot<isa_t>::tile_rows && dense.large + dense.small > 0);

using formed = simd::formed_shape<dense>;
static_assert(simd::with_form<formed> && simd::specialized_shape<formed>);
static_assert(!simd::with_form<conv2d_shape> && !simd::constant_shape<formed>);

}  // namespace

TEST_CASE("a shape keeps its form when its extents are replaced") {
  const formed shape{square(28, 256, 256, 3)};
  const conv2d_shape same = shape;
  CHECK(same == square(28, 256, 256, 3));
  const conv2d_shape other = simd::with_extents(shape, square(28, 512, 256, 3));
  CHECK(other.in_channels == 512);
}
