// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/depthwise_columns.hpp"

#include <doctest/doctest.h>

#include "ctq/kernels/reference/conv2d.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "kernels/depthwise_shape.hpp"
#include "kernels/layer_case.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::depthwise_shape;
using samples::values;
using isa_t = isa::native;
using dot = simd::depthwise_dot<isa_t>;

namespace {

constexpr bool on_integers = dot::k_group > 1;  // elsewhere the general kernel does everything
static_assert(!on_integers ||
              simd::conv2d_workspace_bytes<isa_t>(depthwise_shape(128, 5, 5, 1, 1), qint8) == 0);

template <conv2d_shape S>
using constant = std::integral_constant<conv2d_shape, S>;

template <class In, class Out, class Shape>
bool equals_reference(const Shape& shape, values kind, unsigned seed) {
  const conv2d_shape s = shape;
  constexpr dtype type = std::is_same_v<In, std::int8_t> ? qint8 : quint8;
  samples::generator random(seed);
  const auto size = [](int a, int b, int c) { return static_cast<std::size_t>(a * b * c); };
  const samples::fenced<In> in(
      samples::integers<In>(size(s.batch * s.in_h, s.in_w, s.in_channels), kind, random));
  const auto weight =
      samples::integers<std::int8_t>(size(s.in_channels, s.kernel_h, s.kernel_w), kind, random);
  const samples::epilogue e =
      samples::random_epilogue<Out>(s.out_channels, s.kernel_h * s.kernel_w, random);
  const int zero_point = std::numeric_limits<In>::lowest() + static_cast<int>(random() % 256);
  std::vector<Out> expected(size(s.batch * s.out_h(), s.out_w(), s.out_channels));
  reference::conv2d(s, in.data(), weight.data(), e.bias.data(), e.multiplier.data(), e.to,
                    zero_point, expected.data());
  const samples::aligned_bytes packed(simd::conv2d_packed_bytes<isa_t>(s, type));
  const samples::aligned_bytes workspace(simd::conv2d_workspace_bytes<isa_t>(s, type));
  simd::pack<isa_t, In>(s, simd::unpacked{weight.data(), e.bias.data(), e.multiplier.data()},
                        packed.data());
  samples::guarded<Out> out(expected.size());
  simd::conv2d<isa_t>(shape, in.data(), packed.data(), e.to, zero_point, out.data(),
                      workspace.data());
  return out.holds(expected);
}

void check(const conv2d_shape& s, unsigned seed) {
  CAPTURE(s.kernel_h);
  CAPTURE(s.in_channels);
  CAPTURE(s.in_h);
  CAPTURE(s.in_w);
  CAPTURE(s.stride_h);
  CAPTURE(s.padding_h);
  CHECK(equals_reference<std::uint8_t, std::uint8_t>(s, values::random, seed));
  CHECK(equals_reference<std::int8_t, std::int8_t>(s, values::extreme, seed));
}

}  // namespace

TEST_CASE("depthwise by columns equals the reference at every width and height of a tile") {
  unsigned seed = 1;
  for (int stride : {1, 2}) {
    for (int size = 3; size <= 14; ++size) {
      check(depthwise_shape(32, 5, size, stride, 1), seed++);
      check(depthwise_shape(32, size, 4, stride, 1), seed++);
      check(depthwise_shape(40, 6, size, stride, 2, 5), seed++);
      check(depthwise_shape(64, size, 5, stride, 2, 5), seed++);
    }
  }
  // More pixels than a strip has.
  check(depthwise_shape(32, 3, 33, 1, 1), seed++);
  check(depthwise_shape(70, 4, 67, 1, 0), seed++);
}

TEST_CASE("two rows in a register equal the reference at every height") {
  unsigned seed = 50;
  for (int size = 1; size <= 11; ++size) {
    check(depthwise_shape(16, size, 5, 1, 1), seed++);
    check(depthwise_shape(23, size, 6, 2, 1), seed++);
    check(depthwise_shape(31, size, 7, 1, 2, 5), seed++);
    check(depthwise_shape(17, size, 4, 2, 3, 7), seed++);
  }
  check(depthwise_shape(19, 5, 67, 1, 1), seed++);  // more pixels than a strip has
  conv2d_shape several = depthwise_shape(20, 6, 9, 1, 0);
  several.padding_w = 9;
  several.batch = 2;
  check(several, seed);
}

TEST_CASE("depthwise by columns equals the reference for any number of channels") {
  unsigned seed = 100;
  for (int channels = 8; channels <= 200; channels += channels < 70 ? 1 : 9) {
    check(depthwise_shape(channels, 4, 5, 1, 1), seed++);
    check(depthwise_shape(channels, 5, 4, 2, 1), seed++);
    if (channels % 5 == 0) check(depthwise_shape(channels, 5, 6, 1, 2, 5), seed++);
  }
}

TEST_CASE("depthwise by columns reads the zero point in borders of any width") {
  unsigned seed = 200;
  for (int padding : {0, 1, 2, 4}) {
    for (int size = 1; size <= 4; ++size) {
      if (size + 2 * padding < 3) continue;
      check(depthwise_shape(40, size, size + 2, 1, padding), seed++);
      check(depthwise_shape(16, size, size + 2, 1, padding), seed++);
      if (padding > 1) check(depthwise_shape(70, size, size + 1, 1, padding, 5), seed++);
      check(depthwise_shape(64, size + 2, size, 2, padding), seed++);
    }
  }
  conv2d_shape uneven = depthwise_shape(48, 6, 9, 1, 0);
  uneven.padding_w = 3;
  uneven.batch = 2;
  check(uneven, seed);
}

TEST_CASE("depthwise by columns equals the reference on random shapes") {
  const unsigned count = samples::seeds(60, 2);
  samples::for_each_seed(count, [](samples::generator& random, unsigned seed) {
    const int padding = random.between(0, 2);
    const int kernel = 3 + 2 * random.between(0, 2);
    const int smallest = std::max(1, kernel - 2 * padding);
    const int h = random.between(smallest, 9);
    const int w = random.between(smallest, 9);
    const int stride = random.between(1, 2);
    check(depthwise_shape(random.between(8, 140), h, w, stride, padding, kernel), seed);
  });
}

TEST_CASE("depthwise by columns may have different input and output types") {
  CHECK(equals_reference<std::uint8_t, std::int8_t>(depthwise_shape(36, 6, 7, 1, 1), values::random,
                                                    1));
  CHECK(equals_reference<std::int8_t, std::uint8_t>(depthwise_shape(36, 6, 7, 2, 1), values::random,
                                                    2));
}

TEST_CASE("depthwise by columns equals the reference for compile-time shapes") {
  CHECK(equals_reference<std::uint8_t, std::uint8_t>(constant<depthwise_shape(80, 7, 8, 1, 1)>{},
                                                     values::extreme, 3));
  CHECK(equals_reference<std::int8_t, std::int8_t>(constant<depthwise_shape(72, 9, 11, 2, 1)>{},
                                                   values::random, 4));
  CHECK(equals_reference<std::uint8_t, std::uint8_t>(constant<depthwise_shape(96, 7, 6, 1, 2, 5)>{},
                                                     values::extreme, 5));
  CHECK(equals_reference<std::int8_t, std::int8_t>(constant<depthwise_shape(24, 7, 5, 1, 1)>{},
                                                   values::random, 6));
  CHECK(equals_reference<std::uint8_t, std::int8_t>(constant<depthwise_shape(16, 8, 9, 2, 1)>{},
                                                    values::random, 7));
  CHECK(equals_reference<std::uint8_t, std::uint8_t>(constant<depthwise_shape(24, 6, 8, 2, 2, 5)>{},
                                                     values::extreme, 8));
  CHECK(equals_reference<std::int8_t, std::int8_t>(constant<depthwise_shape(17, 9, 7, 1, 2, 5)>{},
                                                   values::random, 9));
}

TEST_CASE("shapes of one form share a kernel: edges, single rows, several blocks of channels") {
  const auto check_form = []<conv2d_shape S>(constant<S>, unsigned seed) {
    CAPTURE(seed);
    constexpr auto shape = simd::formed_shape_of<isa_t, std::uint8_t, S>();
    CHECK(equals_reference<std::uint8_t, std::uint8_t>(shape, values::random, seed));
    // Other extents of this form, if they are.
    constexpr simd::conv2d_form form = shape.form;
    for (const int height : {1, 2, 5, 8, 13}) {
      conv2d_shape other = S;
      other.in_h = height;
      if (!(simd::form_of<isa_t, std::uint8_t>(other) == form)) continue;
      CAPTURE(height);
      CHECK(equals_reference<std::uint8_t, std::uint8_t>(simd::formed_shape<form>{other},
                                                         values::extreme, seed));
    }
  };
  check_form(constant<depthwise_shape(80, 7, 8, 1, 1)>{}, 1);
  check_form(constant<depthwise_shape(72, 9, 11, 2, 1)>{}, 2);
  check_form(constant<depthwise_shape(96, 7, 9, 1, 2, 5)>{}, 3);
  check_form(constant<depthwise_shape(24, 7, 5, 1, 1)>{}, 4);
}
