// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/conv_transpose2d.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "ctq/kernels/code/conv_transpose2d_layers.hpp"
#include "kernels/convolution_case.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

using kernel_of = descriptors::conv_transpose2d;

void check_all_types(const conv_transpose2d_shape& s, unsigned seed) {
  CAPTURE(s.in_h);
  CAPTURE(s.in_w);
  CAPTURE(s.kernel_h);
  CAPTURE(s.kernel_w);
  CAPTURE(s.stride_h);
  CAPTURE(s.stride_w);
  CAPTURE(s.padding_h);
  CAPTURE(s.padding_w);
  CAPTURE(s.dilation_h);
  CAPTURE(s.dilation_w);
  CAPTURE(s.groups);
  samples::check_convolution<kernel_of>(s, seed);
}

conv_transpose2d_shape random_shape(samples::generator& random) {
  const auto from = [&](int lo, int hi) { return random.between(lo, hi); };
  conv_transpose2d_shape s{.batch = from(1, 2), .in_h = from(1, 5), .in_w = from(1, 9)};
  s.kernel_h = from(1, 5);
  s.kernel_w = from(1, 5);
  s.stride_h = from(1, 4);
  s.stride_w = from(1, 4);
  s.dilation_h = from(1, 3);
  s.dilation_w = from(1, 3);
  s.output_padding_h = from(0, std::max(s.stride_h, s.dilation_h) - 1);
  s.output_padding_w = from(0, std::max(s.stride_w, s.dilation_w) - 1);
  while (s.out_h() > 2 && from(0, 2) > 0) ++s.padding_h;
  while (s.out_w() > 2 && from(0, 2) > 0) ++s.padding_w;
  s.groups = from(0, 2) == 0 ? from(2, 20) : 1;
  const bool depthwise = s.groups > 1 && from(0, 1) == 0;
  s.in_channels = s.groups * (s.groups == 1 ? from(1, 40) : depthwise ? 1 : from(1, 4));
  s.out_channels = s.groups * (s.groups == 1 ? from(1, 40) : depthwise ? 1 : from(1, 4));
  return s;
}

/// In the order of conv_transpose2d_shape: N, H, W, C, O, kernel, stride, padding, output_padding,
/// dilation, groups.
constexpr conv_transpose2d_shape shapes[] = {
    {1, 4, 5, 8, 12, 2, 2, 2, 2},                          // of a U-Net: one pixel a phase
    {2, 3, 4, 20, 17, 3, 3, 2, 2, 1, 1, 1, 1},             // phases of four sizes
    {1, 5, 4, 16, 8, 4, 4, 2, 2, 1, 1},                    // of a DCGAN
    {1, 4, 4, 5, 6, 3, 3},                                 // one phase
    {1, 1, 9, 7, 5, 1, 4, 1, 3, 0, 1},                     // of one axis
    {1, 3, 3, 4, 6, 1, 2, 3, 4, 0, 0, 2, 3},               // phases that read nothing
    {1, 3, 5, 6, 9, 3, 2, 2, 3, 2, 1, 1, 1, 4, 2},         // dilated
    {1, 4, 3, 12, 12, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 12},   // depthwise
    {1, 3, 3, 8, 12, 3, 3, 2, 2, 0, 0, 0, 0, 1, 1, 4},     // groups
    {1, 6, 6, 3, 4, 2, 2, 1, 1, 3, 2},                     // of which little is left
    {3, 4, 4, 8, 12, 2, 2, 2, 2},                          // three images together
    {6, 20, 16, 4, 80, 2, 2, 2, 2},                        // two of six, which a cache holds
    {4, 9, 16, 16, 16, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 16},  // in place
};

// A plan evaluates the workspace of all its layers in one constant expression, whose steps clang
// limits.
constexpr std::size_t workspace_of_layers(int layers, int stride) {
  std::size_t bytes = 0;
  for (int i = 0; i < layers; ++i)
    bytes += kernel_code<kernel_of>::workspace_bytes<simd_kernels<isa::native>>(
        signature_of(kernel::conv_transpose2d, quint8, quint8,
                     conv_transpose2d_shape{1, 4, 4, 8, 8 + i, stride, stride, stride, stride}));
  return bytes;
}
static_assert(workspace_of_layers(1, 32) > 0 && workspace_of_layers(4, 16) > 0);

template <conv_transpose2d_shape S>
void check_constant_shape() {
  constexpr std::integral_constant<conv_transpose2d_shape, S> shape;
  CHECK(samples::convolves_integers<kernel_of, std::uint8_t, std::uint8_t>(
      shape, samples::values::random, 1));
  CHECK(samples::convolves_floats<kernel_of>(shape, 3));
}

}  // namespace

TEST_CASE("a transposed convolution by hand") {
  // One row of 2 pixels, stride 2, a kernel of 3 taps: each input writes three outputs.
  const conv_transpose2d_shape s{.batch = 1,
                                 .in_h = 1,
                                 .in_w = 2,
                                 .in_channels = 1,
                                 .out_channels = 1,
                                 .kernel_h = 1,
                                 .kernel_w = 3,
                                 .stride_w = 2};
  const float in[] = {10, 100}, weight[] = {1, 2, 3}, bias[] = {0.5F};
  float out[5];
  reference::conv_transpose2d(s, in, weight, bias, false, out);
  CHECK(std::vector<float>(out, out + 5) ==
        std::vector<float>{10.5F, 20.5F, 130.5F, 200.5F, 300.5F});
  // On integers with zero point 10, which is folded into the bias for all taps.
  const std::uint8_t q[] = {20, 110};
  const std::int8_t w[] = {1, 2, 3};
  const std::int32_t folded[] = {7 - 10 * 6};
  const float multiplier[] = {0.5F};
  std::uint8_t bytes[5];
  reference::conv_transpose2d(s, q, w, folded, multiplier, {5, 0, 255}, 10, bytes);
  // 10 + 7, 20 + 7, 130 + 7, 200 + 7, 300 + 7, halved: ties to even
  CHECK(std::vector<int>(bytes, bytes + 5) == std::vector<int>{13, 19, 73, 109, 159});
}

TEST_CASE("transposed convolutions equal the reference") {
  unsigned seed = 1;
  for (const conv_transpose2d_shape& s : shapes) check_all_types(s, ++seed);
}

TEST_CASE("random transposed convolutions equal the reference") {
  samples::for_each_seed(samples::seeds(60), [](samples::generator& random, unsigned seed) {
    check_all_types(random_shape(random), seed);
  });
}

TEST_CASE("transposed convolutions of a constant shape equal the reference") {
  check_constant_shape<shapes[0]>();
  check_constant_shape<shapes[5]>();
  check_constant_shape<shapes[10]>();
}
