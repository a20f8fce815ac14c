// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/conv3d.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "ctq/kernels/code/conv3d_layers.hpp"
#include "kernels/convolution_case.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

using kernel_of = descriptors::conv3d;

void check_all_types(const conv3d_shape& s, unsigned seed) {
  CAPTURE(s.in_d);
  CAPTURE(s.in_h);
  CAPTURE(s.in_w);
  CAPTURE(s.in_channels);
  CAPTURE(s.kernel_d);
  CAPTURE(s.stride_d);
  CAPTURE(s.padding_d);
  CAPTURE(s.dilation_d);
  CAPTURE(s.groups);
  samples::check_convolution<kernel_of>(s, seed);
}

conv3d_shape random_shape(samples::generator& random) {
  const auto from = [&](int lo, int hi) { return random.between(lo, hi); };
  conv3d_shape s{.batch = from(1, 2)};
  const auto axis = [&](int& in, int& kernel, int& stride, int& padding, int& dilation) {
    kernel = from(1, 3);
    stride = from(1, 3);
    padding = from(0, 2);
    dilation = from(1, 2);
    const int least = dilation * (kernel - 1) + 1 - 2 * padding;
    in = from(least < 1 ? 1 : least, 6);
  };
  axis(s.in_d, s.kernel_d, s.stride_d, s.padding_d, s.dilation_d);
  axis(s.in_h, s.kernel_h, s.stride_h, s.padding_h, s.dilation_h);
  axis(s.in_w, s.kernel_w, s.stride_w, s.padding_w, s.dilation_w);
  s.groups = from(0, 2) == 0 ? from(2, 20) : 1;
  const bool depthwise = s.groups > 1 && from(0, 1) == 0;
  s.in_channels = s.groups * (s.groups == 1 ? from(1, 40) : depthwise ? 1 : from(1, 4));
  s.out_channels = s.groups * (s.groups == 1 ? from(1, 40) : depthwise ? 1 : from(1, 4));
  return s;
}

/// In the order of conv3d_shape: N, D, H, W, C, O, kernel, stride, padding, dilation, groups.
constexpr conv3d_shape shapes[] = {
    {1, 4, 5, 6, 3, 16, 3, 3, 3, 1, 1, 1, 1, 1, 1},                // of a C3D
    {2, 3, 4, 5, 17, 20, 1, 1, 1},                                 // pixels, in all planes at once
    {2, 5, 4, 5, 8, 12, 1, 3, 3, 1, 2, 2, 0, 1, 1},                // planes, of an R(2+1)D
    {1, 6, 3, 4, 12, 9, 3, 1, 1, 2, 1, 1, 1, 0, 0},                // its other half
    {1, 3, 3, 3, 4, 4, 1, 1, 1, 2, 1, 1, 1},                       // planes of padding alone
    {1, 5, 4, 4, 12, 12, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 12},  // depthwise
    {1, 4, 3, 3, 8, 12, 2, 2, 2, 1, 1, 1, 0, 0, 0, 2, 1, 1, 4},    // groups, dilated
};

template <conv3d_shape S>
void check_constant_shape() {
  constexpr std::integral_constant<conv3d_shape, S> shape;
  CHECK(samples::convolves_integers<kernel_of, std::uint8_t, std::uint8_t>(
      shape, samples::values::random, 1));
  CHECK(samples::convolves_floats<kernel_of>(shape, 3));
}

}  // namespace

TEST_CASE("a convolution along the depth by hand") {
  const conv3d_shape s{.batch = 1,
                       .in_d = 3,
                       .in_h = 1,
                       .in_w = 2,
                       .in_channels = 1,
                       .out_channels = 1,
                       .kernel_d = 2,
                       .kernel_h = 1,
                       .kernel_w = 1,
                       .padding_d = 1};
  const float in[] = {1, 10, 2, 20, 3, 30}, weight[] = {100, 1}, bias[] = {0.5F};
  float out[8];
  reference::conv3d(s, in, weight, bias, false, out);
  CHECK(std::vector<float>(out, out + 8) ==
        std::vector<float>{1.5F, 10.5F, 102.5F, 1020.5F, 203.5F, 2030.5F, 300.5F, 3000.5F});
  // On integers with zero point 10, which is folded into the bias for all taps.
  const std::uint8_t q[] = {11, 12, 13, 14, 15, 16};
  const std::int8_t w[] = {2, 1};
  const std::int32_t folded[] = {1 - 10 * 3};
  const float multiplier[] = {0.5F};
  std::uint8_t bytes[8];
  reference::conv3d(s, q, w, folded, multiplier, {5, 0, 255}, 10, bytes);
  // 1 + 1, 2 + 1, 5 + 1, 8 + 1, 11 + 1, 14 + 1, 10 + 1, 12 + 1, halved: ties to even
  CHECK(std::vector<int>(bytes, bytes + 8) == std::vector<int>{6, 7, 8, 9, 11, 13, 11, 11});
}

TEST_CASE("channels of a group are gathered plane by plane") {
  const conv3d_shape s{.batch = 1,
                       .in_d = 2,
                       .in_h = 1,
                       .in_w = 1,
                       .in_channels = 4,
                       .out_channels = 2,
                       .kernel_d = 3,
                       .kernel_h = 1,
                       .kernel_w = 1,
                       .padding_d = 1,
                       .groups = 2};
  const std::uint8_t image[] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::uint8_t out[12];
  simd::gather_planes(s, 0, image, std::uint8_t{9}, out);
  CHECK(std::vector<int>(out, out + 12) == std::vector<int>{9, 9, 1, 2, 5, 6, 9, 9, 3, 4, 7, 8});
}

TEST_CASE("convolutions along three axes equal the reference") {
  unsigned seed = 1;
  for (const conv3d_shape& s : shapes) check_all_types(s, ++seed);
}

TEST_CASE("random convolutions along three axes equal the reference") {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned seed) {
    check_all_types(random_shape(random), seed);
  });
}

TEST_CASE("convolutions along three axes of a constant shape equal the reference") {
  check_constant_shape<shapes[0]>();
  check_constant_shape<shapes[2]>();
}
