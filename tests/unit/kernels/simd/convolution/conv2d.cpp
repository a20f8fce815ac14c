// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/conv2d.hpp"

#include <doctest/doctest.h>

#include "kernels/layer_case.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::conv2d_equals_reference;
using samples::describe;
using samples::in_elements;
using samples::out_elements;
using samples::terms;
using samples::values;
using isa_t = isa::native;

static_assert(simd::dot_arch<simd::int8_dot<isa_t>>);
static_assert(simd::dot_arch<simd::depthwise_dot<isa_t>>);
static_assert(simd::dot_arch<simd::float_dot<isa_t>>);

namespace {

constexpr conv2d_shape image_3x3{.batch = 1,
                                 .in_h = 5,
                                 .in_w = 6,
                                 .in_channels = 8,
                                 .out_channels = 16,
                                 .kernel_h = 3,
                                 .kernel_w = 3};
// No padding, conversion or rounding up: float kernels read the input directly.
static_assert(simd::conv2d_workspace_bytes<isa_t>(image_3x3, f32) == 0);
static_assert(simd::conv2d_packed_bytes<isa_t>(image_3x3, quint8) % 64 == 0);

template <class Shape>
std::vector<float> fast_conv2d(const Shape& shape, const std::vector<float>& in,
                               const std::vector<float>& weight, const std::vector<float>& bias,
                               bool relu) {
  const conv2d_shape s = shape;
  const samples::aligned_bytes packed(simd::conv2d_packed_bytes<isa_t>(s, f32));
  const samples::aligned_bytes workspace(simd::conv2d_workspace_bytes<isa_t>(s, f32));
  simd::pack<isa_t, float>(s, simd::unpacked{weight.data(), bias.data(), nullptr}, packed.data());
  const samples::fenced image(in);
  samples::guarded<float> out(out_elements(s));
  simd::conv2d<isa_t>(shape, image.data(), packed.data(), relu, out.data(), workspace.data());
  CHECK(out.margin_intact());
  return {out.data(), out.data() + out_elements(s)};
}

template <class Shape>
bool float_equals_reference(const Shape& shape, unsigned seed) {
  const conv2d_shape s = shape;
  samples::generator random(seed);
  // Without fma only sums of integers are equal.
  const bool whole = !simd::has_fma<isa_t>;
  const auto in = samples::reals(in_elements(s), whole, random);
  const auto weight =
      samples::reals(static_cast<std::size_t>(s.out_channels * terms(s)), whole, random);
  const auto bias = samples::reals(static_cast<std::size_t>(s.out_channels), whole, random);
  const bool relu = random() % 2 == 0;
  std::vector<float> expected(out_elements(s));
  reference::conv2d(s, in.data(), weight.data(), bias.data(), relu, expected.data());
  return samples::same(expected, fast_conv2d(shape, in, weight, bias, relu).data());
}

void check_all_types(const conv2d_shape& s, unsigned seed) {
  CAPTURE(describe(s));
  CAPTURE(seed);
  CHECK(conv2d_equals_reference<isa_t, std::uint8_t, std::uint8_t>(s, values::random, seed));
  CHECK(conv2d_equals_reference<isa_t, std::uint8_t, std::uint8_t>(s, values::extreme, seed));
  CHECK(conv2d_equals_reference<isa_t, std::int8_t, std::int8_t>(s, values::random, seed));
  CHECK(conv2d_equals_reference<isa_t, std::int8_t, std::int8_t>(s, values::extreme, seed));
  CHECK(conv2d_equals_reference<isa_t, std::uint8_t, std::int8_t>(s, values::random, seed));
  CHECK(conv2d_equals_reference<isa_t, std::int8_t, std::uint8_t>(s, values::random, seed));
  CHECK(float_equals_reference(s, seed));
}

/// In the order of conv2d_shape: N, H, W, C, O, kernel, stride, padding, dilation, groups.
const conv2d_shape shapes[] = {
    {1, 8, 8, 1, 32, 3, 3, 1, 1, 1, 1},               // first layer: K rows of 3
    {1, 9, 7, 3, 16, 7, 7, 2, 2, 3, 3},               // 7x7 / 2 on colours
    {1, 14, 14, 32, 32, 3, 3, 1, 1, 1, 1},            // whole registers everywhere
    {2, 7, 7, 20, 24, 3, 3, 1, 1, 1, 1},              // rows of pixels share a tile
    {1, 7, 7, 32, 64, 1, 1},                          // a matrix product
    {3, 5, 5, 8, 10, 1, 1},                           // of several images
    {1, 4, 4, 30, 33, 1, 1},                          // whose K has a tail
    {1, 8, 6, 16, 8, 1, 1, 2, 2},                     // 1x1 / 2
    {1, 6, 6, 4, 4, 1, 1, 1, 1, 2, 1},                // 1x1 with a border
    {1, 11, 5, 6, 5, 3, 3, 1, 1, 2, 2, 2, 2},         // dilated
    {1, 12, 9, 5, 7, 5, 3, 2, 1, 0, 2, 1, 2},         // nothing symmetric
    {1, 9, 40, 4, 3, 2, 4, 3, 2, 1, 0},               // wide rows, cut in parts
    {1, 3, 3, 2, 70, 3, 3},                           // one pixel, many channels
    {2, 14, 14, 32, 32, 3, 3, 2, 2, 1, 1, 1, 1, 32},  // depthwise
    {1, 9, 8, 64, 64, 5, 5, 1, 1, 2, 2, 1, 1, 64},    //
    {1, 10, 6, 13, 13, 3, 2, 1, 2, 1, 0, 1, 1, 13},   // channels that fill no register
    {1, 12, 7, 35, 35, 3, 3, 1, 1, 2, 2, 2, 2, 35},   //
    {1, 5, 5, 96, 96, 1, 1, 1, 1, 0, 0, 1, 1, 96},    //
    {1, 6, 6, 8, 12, 3, 3, 1, 1, 1, 1, 1, 1, 4},      // groups
    {1, 6, 6, 8, 16, 3, 3, 1, 1, 1, 1, 1, 1, 8},      // two outputs a channel
    {1, 9, 9, 64, 64, 3, 3, 1, 1, 1, 1, 1, 1, 16},    // groups that are joined by twos or fours
    {2, 5, 7, 10, 15, 3, 2, 2, 1, 1, 1, 1, 2, 5},     // to one group, and dilated
    {1, 4, 6, 42, 14, 1, 1, 1, 1, 0, 0, 1, 1, 14},    // of several inputs and one output
    {1, 4, 4, 40, 72, 3, 3, 1, 1, 0, 0, 1, 1, 2},     //
    {1, 1, 1, 7, 9, 3, 3, 1, 1, 1, 1},                // mostly border
    {1, 2, 2, 3, 5, 1, 1, 1, 1, 3, 3},                // taps that see nothing else
    {0, 5, 5, 3, 4, 3, 3, 1, 1, 1, 1},                // no image
    {1, 0, 5, 3, 4, 1, 1},                            // no row
    {1, 2, 2, 3, 4, 3, 3},                            // kernel larger than the image
    {1, 2, 2, 3, 4, 3, 3, 2, 2},                      // also if it makes steps of two
    {1, 5, 5, 0, 4, 3, 3, 1, 1, 1, 1},                // no channel: the bias alone
    {1, 5, 5, 3, 0, 3, 3, 1, 1, 1, 1},                // nobody asks
};

conv2d_shape random_shape(samples::generator& random) {
  const auto from = [&](int lo, int hi) { return random.between(lo, hi); };
  conv2d_shape s{.batch = from(1, 2), .kernel_h = from(1, 4), .kernel_w = from(1, 4)};
  s.stride_h = from(1, 3);
  s.stride_w = from(1, 3);
  s.padding_h = from(0, 2);
  s.padding_w = from(0, 2);
  s.dilation_h = from(1, 2);
  s.dilation_w = from(1, 2);
  s.in_h = from(1, 6) + s.dilation_h * (s.kernel_h - 1);
  s.in_w = from(1, 18) + s.dilation_w * (s.kernel_w - 1);
  s.groups = from(0, 3) == 0 ? from(2, 40) : 1;
  const bool depthwise = s.groups > 1 && from(0, 2) > 0;
  s.in_channels = s.groups * (s.groups == 1 ? from(1, 40) : depthwise ? 1 : from(1, 4));
  s.out_channels = s.groups * (s.groups == 1 ? from(1, 70) : depthwise ? 1 : from(1, 4));
  return s;
}

template <conv2d_shape S>
void check_constant_shape() {
  CAPTURE(describe(S));
  constexpr std::integral_constant<conv2d_shape, S> shape;
  CHECK(conv2d_equals_reference<isa_t, std::uint8_t, std::uint8_t>(shape, values::random, 1));
  CHECK(conv2d_equals_reference<isa_t, std::int8_t, std::int8_t>(shape, values::extreme, 2));
  CHECK(float_equals_reference(shape, 3));
  // The kernel of all shapes of its form.
  constexpr auto on_integers = simd::formed_shape_of<isa_t, std::uint8_t, S>();
  CHECK(samples::layer_equals_reference<isa_t, std::uint8_t, std::uint8_t>(S, on_integers,
                                                                           values::random, 4));
  CHECK(float_equals_reference(simd::formed_shape_of<isa_t, float, S>(), 5));
}

}  // namespace

TEST_CASE("the reference convolution reads the zero point in the padding") {
  // One image of 2x2, a 3x3 kernel of ones with 2 in the centre; output (0,0) covers all four
  // pixels and five of padding.
  const conv2d_shape s{.batch = 1,
                       .in_h = 2,
                       .in_w = 2,
                       .in_channels = 1,
                       .out_channels = 1,
                       .kernel_h = 3,
                       .kernel_w = 3,
                       .padding_h = 1,
                       .padding_w = 1};
  const std::uint8_t in[] = {10, 20, 30, 40};
  const std::int8_t weight[] = {1, 1, 1, 1, 2, 1, 1, 1, 1};
  const std::int32_t bias[] = {-5 * 10};  // zero point 5, sum of the weights 10
  const float multiplier[] = {0.5F};
  std::uint8_t out[4];
  reference::conv2d(s, in, weight, bias, multiplier, {3, 0, 255}, 5, out);
  // (100 + 10 + 25 - 50) / 2 = 42.5 → 42, 47.5 → 48, 52.5 → 52, 57.5 → 58; plus 3
  CHECK(std::vector<int>(out, out + 4) == std::vector<int>{45, 51, 55, 61});
}

TEST_CASE("the reference convolution supports groups, strides and dilation") {
  // Two groups of one channel; the two taps of the kernel are two apart in x.
  const conv2d_shape s{.batch = 1,
                       .in_h = 1,
                       .in_w = 5,
                       .in_channels = 2,
                       .out_channels = 2,
                       .kernel_h = 1,
                       .kernel_w = 2,
                       .stride_w = 2,
                       .dilation_w = 2,
                       .groups = 2};
  const std::int8_t in[] = {1, 10, 2, 20, 3, 30, 4, 40, 5, 50};
  const std::int8_t weight[] = {1, 2, -1, 1};
  const float multiplier[] = {1.0F, 1.0F};
  std::int8_t out[4];
  reference::conv2d(s, in, weight, nullptr, multiplier, {0, -128, 127}, 0, out);
  CHECK(std::vector<int>(out, out + 4) == std::vector<int>{1 + 6, -10 + 30, 3 + 10, -30 + 50});
}

TEST_CASE("the reference convolution of floats adds the bias first and keeps NaN through relu") {
  const conv2d_shape s{.batch = 1,
                       .in_h = 1,
                       .in_w = 3,
                       .in_channels = 1,
                       .out_channels = 1,
                       .kernel_h = 1,
                       .kernel_w = 1};
  const float in[] = {2.0F, -8.0F, std::numeric_limits<float>::quiet_NaN()};
  const float weight[] = {1.5F};
  const float bias[] = {0.25F};
  float out[3];
  reference::conv2d(s, in, weight, bias, true, out);
  CHECK(out[0] == 3.25F);
  CHECK(out[1] == 0.0F);
  CHECK(std::isnan(out[2]));
}

TEST_CASE("conv2d equals the reference on shapes with all kinds of tails") {
  unsigned seed = 100;
  for (const conv2d_shape& s : shapes) check_all_types(s, seed++);
}

TEST_CASE("conv2d equals the reference on random shapes") {
  const unsigned count = samples::seeds(60, 6);
  samples::for_each_seed(count, [](samples::generator& random, unsigned seed) {
    check_all_types(random_shape(random), seed);
  });
}

TEST_CASE("conv2d equals the reference for compile-time shapes") {
  check_constant_shape<conv2d_shape{1, 9, 9, 1, 32, 3, 3, 1, 1, 1, 1}>();
  check_constant_shape<conv2d_shape{1, 7, 7, 16, 24, 3, 3, 1, 1, 1, 1}>();
  check_constant_shape<conv2d_shape{2, 7, 7, 32, 64, 1, 1}>();
  check_constant_shape<conv2d_shape{1, 9, 7, 5, 50, 2, 3, 2, 1, 0, 1, 1, 2}>();
  check_constant_shape<conv2d_shape{1, 8, 8, 32, 32, 3, 3, 2, 2, 1, 1, 1, 1, 32}>();
  check_constant_shape<conv2d_shape{1, 5, 5, 12, 8, 3, 3, 1, 1, 1, 1, 1, 1, 4}>();
}

TEST_CASE("a missing bias is zero") {
  const conv2d_shape s = image_3x3;
  samples::generator random(7);
  const auto in = samples::integers<std::int8_t>(in_elements(s), values::random, random);
  const auto weight = samples::integers<std::int8_t>(16 * 72, values::random, random);
  const std::vector<float> multiplier(16, 0.001F);
  std::vector<std::int8_t> expected(out_elements(s)), out(expected.size());
  reference::conv2d(s, in.data(), weight.data(), nullptr, multiplier.data(), {0, -128, 127}, 0,
                    expected.data());
  const samples::aligned_bytes packed(simd::conv2d_packed_bytes<isa_t>(s, qint8));
  const samples::aligned_bytes workspace(simd::conv2d_workspace_bytes<isa_t>(s, qint8));
  simd::pack<isa_t, std::int8_t>(
      s, simd::unpacked<std::int8_t, std::int32_t>{weight.data(), nullptr, multiplier.data()},
      packed.data());
  simd::conv2d<isa_t>(s, in.data(), packed.data(), {0, -128, 127}, 0, out.data(), workspace.data());
  CHECK(out == expected);
}

TEST_CASE("float conv2d treats infinities, NaN and signed zeros as the reference does") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const conv2d_shape& s : {conv2d_shape{1, 6, 6, 3, 20, 3, 3, 1, 1, 1, 1},
                                conv2d_shape{1, 6, 6, 20, 20, 3, 3, 1, 1, 1, 1, 1, 1, 20}}) {
    samples::generator random(11);
    auto in = samples::reals(in_elements(s), true, random);
    auto weight = samples::reals(static_cast<std::size_t>(20 * terms(s)), true, random);
    in[5] = inf;
    in[40] = std::numeric_limits<float>::quiet_NaN();
    weight[3] = -inf;
    const std::vector<float> bias(20, -0.0F);
    for (bool relu : {false, true}) {
      std::vector<float> expected(out_elements(s));
      reference::conv2d(s, in.data(), weight.data(), bias.data(), relu, expected.data());
      CHECK(samples::same(expected, fast_conv2d(s, in, weight, bias, relu).data()));
    }
  }
}

TEST_CASE("float conv2d without fma is within the error of two roundings per product") {
  const conv2d_shape s{1, 8, 8, 16, 20, 3, 3, 1, 1, 1, 1};
  samples::generator random(13);
  const auto in = samples::reals(in_elements(s), false, random);
  const auto weight = samples::reals(20 * 144, false, random);
  const auto bias = samples::reals(20, false, random);
  std::vector<float> expected(out_elements(s));
  reference::conv2d(s, in.data(), weight.data(), bias.data(), false, expected.data());
  const auto out = fast_conv2d(s, in, weight, bias, false);
  for (std::size_t i = 0; i < out.size(); ++i) {
    // 145 terms of at most 4, each rounded twice.
    CHECK(std::abs(out[i] - expected[i]) <= 145 * 2 * 4 * 145 * 0x1p-24F);
  }
}
