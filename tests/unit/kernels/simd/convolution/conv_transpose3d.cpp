// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/conv_transpose3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ctq/kernels/code/conv_transpose3d_layers.hpp"
#include "kernels/convolution_case.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

using kernel_of = descriptors::conv_transpose3d;

void check_all_types(const conv_transpose3d_shape& s, unsigned seed) {
  CAPTURE(s.in_d);
  CAPTURE(s.in_h);
  CAPTURE(s.in_w);
  CAPTURE(s.kernel_d);
  CAPTURE(s.stride_d);
  CAPTURE(s.padding_d);
  CAPTURE(s.output_padding_d);
  CAPTURE(s.dilation_d);
  CAPTURE(s.groups);
  samples::check_convolution<kernel_of>(s, seed);
}

conv_transpose3d_shape random_shape(samples::generator& random) {
  const auto from = [&](int lo, int hi) { return random.between(lo, hi); };
  conv_transpose3d_shape s{
      .batch = from(1, 2), .in_d = from(1, 4), .in_h = from(1, 4), .in_w = from(1, 5)};
  const auto axis = [&](int& kernel, int& stride, int& dilation, int& output_padding) {
    kernel = from(1, 4);
    stride = from(1, 3);
    dilation = from(1, 3);
    output_padding = from(0, std::max(stride, dilation) - 1);
  };
  axis(s.kernel_d, s.stride_d, s.dilation_d, s.output_padding_d);
  axis(s.kernel_h, s.stride_h, s.dilation_h, s.output_padding_h);
  axis(s.kernel_w, s.stride_w, s.dilation_w, s.output_padding_w);
  while (s.out_d() > 2 && from(0, 2) > 0) ++s.padding_d;
  while (s.out_h() > 2 && from(0, 2) > 0) ++s.padding_h;
  while (s.out_w() > 2 && from(0, 2) > 0) ++s.padding_w;
  s.groups = from(0, 2) == 0 ? from(2, 20) : 1;
  const bool depthwise = s.groups > 1 && from(0, 1) == 0;
  s.in_channels = s.groups * (s.groups == 1 ? from(1, 40) : depthwise ? 1 : from(1, 4));
  s.out_channels = s.groups * (s.groups == 1 ? from(1, 40) : depthwise ? 1 : from(1, 4));
  return s;
}

/// In the order of conv_transpose3d_shape: N, D, H, W, C, O, kernel, stride, padding,
/// output_padding, dilation, groups.
constexpr conv_transpose3d_shape shapes[] = {
    {1, 3, 4, 5, 8, 12, 2, 2, 2, 2, 2, 2},                            // of a 3-d U-Net
    {2, 3, 3, 4, 20, 17, 3, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1},         // eight sizes
    {1, 3, 4, 4, 16, 8, 4, 4, 4, 2, 2, 2, 1, 1, 1},                   // of a 3-d GAN
    {1, 3, 3, 3, 5, 6, 3, 3, 3},                                      // one phase
    {1, 2, 3, 3, 4, 6, 1, 2, 2, 3, 1, 1, 0, 0, 0, 2, 0, 0},           // planes of biases
    {1, 2, 2, 3, 3, 4, 1, 1, 2, 1, 1, 1, 0, 0, 0, 1, 0, 0, 2},        // planes of padding
    {1, 1, 3, 3, 3, 4, 1, 2, 2, 3, 1, 1, 1, 0, 0, 2},                 // no plane reads an input
    {1, 3, 2, 4, 6, 9, 3, 2, 2, 2, 3, 1, 2, 1, 1, 1, 0, 0, 4, 2, 1},  // dilated
    {1, 3, 2, 3, 12, 12, 3, 2, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 12},  // depthwise
    {1, 2, 3, 3, 8, 12, 2, 3, 3, 1, 2, 2, 0, 0, 0, 0, 0, 0, 1, 1, 1, 4},    // groups
    {2, 2, 4, 3, 31, 38, 3, 1, 1, 2, 1, 1},  // planes that are not adjacent
    {1, 3, 1, 9, 16, 16, 2, 1, 1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 16},  // the same, depthwise
};

template <conv_transpose3d_shape S>
void check_constant_shape() {
  constexpr std::integral_constant<conv_transpose3d_shape, S> shape;
  CHECK(samples::convolves_integers<kernel_of, std::uint8_t, std::uint8_t>(
      shape, samples::values::random, 1));
  CHECK(samples::convolves_floats<kernel_of>(shape, 3));
}

}  // namespace

TEST_CASE("a transposed convolution along the depth by hand") {
  // Two planes of one pixel, stride 2, a kernel of 3 taps: each input writes three planes.
  const conv_transpose3d_shape s{.batch = 1,
                                 .in_d = 2,
                                 .in_h = 1,
                                 .in_w = 1,
                                 .in_channels = 1,
                                 .out_channels = 1,
                                 .kernel_d = 3,
                                 .kernel_h = 1,
                                 .kernel_w = 1,
                                 .stride_d = 2};
  const float in[] = {10, 100}, weight[] = {1, 2, 3}, bias[] = {0.5F};
  float out[5];
  reference::conv_transpose3d(s, in, weight, bias, false, out);
  CHECK(std::vector<float>(out, out + 5) ==
        std::vector<float>{10.5F, 20.5F, 130.5F, 200.5F, 300.5F});
  // On integers with zero point 10, which is folded into the bias for all taps.
  const std::uint8_t q[] = {20, 110};
  const std::int8_t w[] = {1, 2, 3};
  const std::int32_t folded[] = {7 - 10 * 6};
  const float multiplier[] = {0.5F};
  std::uint8_t bytes[5];
  reference::conv_transpose3d(s, q, w, folded, multiplier, {5, 0, 255}, 10, bytes);
  // 10 + 7, 20 + 7, 130 + 7, 200 + 7, 300 + 7, halved: ties to even
  CHECK(std::vector<int>(bytes, bytes + 5) == std::vector<int>{13, 19, 73, 109, 159});
}

TEST_CASE("transposed convolutions along three axes equal the reference") {
  unsigned seed = 1;
  for (const conv_transpose3d_shape& s : shapes) check_all_types(s, ++seed);
}

TEST_CASE("random transposed convolutions along three axes equal the reference") {
  samples::for_each_seed(samples::seeds(10), [](samples::generator& random, unsigned seed) {
    check_all_types(random_shape(random), seed);
  });
}

TEST_CASE("transposed convolutions along three axes of a constant shape equal the reference") {
  check_constant_shape<shapes[0]>();
  check_constant_shape<shapes[4]>();
}
