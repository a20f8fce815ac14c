// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/step_text.hpp"

#include <doctest/doctest.h>

#include <string>

#include "../kernels/emulated_tiles.hpp"
#include "ctq/runtime/bind_kernels.hpp"

using namespace ctq;

namespace {

template <class Isa>
std::string text_of(const kernel_signature& signature) {
  std::string text;
  static_text<96> blocking;
  append_blocking<simd_kernels<Isa>>(blocking, signature);
  append_kernel(text, signature, blocking.view(), packed_bytes<simd_kernels<Isa>>(signature));
  return text;
}

std::string sizes_of(const kernel_signature& signature) {
  std::string text;
  append_shape(text, signature);
  return text;
}

constexpr conv2d_shape conv{.batch = 1,
                            .in_h = 12,
                            .in_w = 12,
                            .in_channels = 3,
                            .out_channels = 20,
                            .kernel_h = 3,
                            .kernel_w = 3,
                            .padding_h = 1,
                            .padding_w = 1};

}  // namespace

TEST_CASE("a step's line has its kernel, dtypes, shape, blocking and packed bytes") {
  CHECK(text_of<isa::scalar>(signature_of(kernel::conv2d, quint8, quint8, conv, true)) ==
        "conv2d+relu,quint8:quint8,1x12x12x3:1x12x12x20:k3x3:p1x1,dense:4x2x1,2368");
  auto sum = signature_of(kernel::conv2d, quint8, quint8, conv);
  sum.then = fused_op::add_relu;
  CHECK(text_of<isa::scalar>(sum) ==
        "conv2d+add_relu,quint8:quint8,1x12x12x3:1x12x12x20:k3x3:p1x1,dense:4x2x1,2368");
  CHECK(text_of<isa::scalar>(signature_of(kernel::linear, qint8, qint8, linear_shape{2, 30, 10})) ==
        "linear,qint8:qint8,2x30:2x10,dense:2x2x1,1280");
  CHECK(text_of<isa::scalar>(
            signature_of(kernel::linear_dynamic, f32, f32, linear_shape{2, 30, 10}, true)) ==
        "linear_dynamic+relu,float32:float32,2x30:2x10,dense:2x2x1,1472");
  CHECK(text_of<isa::scalar>(
            signature_of(kernel::linear_dynamic_int4, f32, f32, linear_shape{2, 30, 10, 1, 16})) ==
        "linear_dynamic_int4,float32:float32,2x30:2x10:g16,-,384");
  CHECK(text_of<isa::scalar>(signature_of(kernel::quantize, f32, quint8, elementwise_shape{7})) ==
        "quantize,float32:quint8,7,-,0");
}

TEST_CASE("a shape shows only what is not as usual") {
  auto s = conv;
  s.stride_h = 2;
  s.groups = 3;
  s.dilation_w = 2;
  s.padding_h = s.padding_w = 0;
  s.out_channels = 6;
  CHECK(sizes_of(signature_of(kernel::conv2d, quint8, quint8, s)) ==
        "1x12x12x3:1x5x8x6:k3x3:s2x1:d1x2:g3");
  CHECK(sizes_of(signature_of(kernel::pooling_avg, quint8, quint8,
                              pool_shape{.batch = 1,
                                         .in_h = 7,
                                         .in_w = 5,
                                         .channels = 4,
                                         .out_h = 1,
                                         .out_w = 1,
                                         .adaptive = 1})) == "1x7x5x4:1x1x1x4:adaptive");
  const conv3d_shape volume{.batch = 1,
                            .in_d = 6,
                            .in_h = 5,
                            .in_w = 4,
                            .in_channels = 3,
                            .out_channels = 8,
                            .kernel_d = 3,
                            .kernel_h = 1,
                            .kernel_w = 1,
                            .padding_d = 1};
  CHECK(sizes_of(signature_of(kernel::conv3d, quint8, quint8, volume)) ==
        "1x6x5x4x3:1x6x5x4x8:k3x1x1:p1x0x0");
  CHECK(sizes_of(signature_of(kernel::concat, quint8, quint8, concat_shape{6, 4, 9, 5})) ==
        "6x4:6x9:at5");
  CHECK(sizes_of(signature_of(kernel::resampling, f32, f32,
                              resampling_shape{.batch = 1,
                                               .in_h = 2,
                                               .in_w = 3,
                                               .channels = 4,
                                               .out_h = 5,
                                               .out_w = 6,
                                               .sampling = sampling_rule::linear,
                                               .in_d = 7,
                                               .out_d = 8})) == "1x7x2x3x4:1x8x5x6x4:linear");
  CHECK(sizes_of(signature_of(kernel::reduction, f32, f32,
                              reduction_shape{reduction_rule::max, {2, 3, 4}, 2})) == "2x3rx4:max");
  CHECK(sizes_of(signature_of(kernel::pad, f32, f32,
                              pad_shape{.rule = padding_rule::reflect,
                                        .in = {1, 1, 1, 6, 5, 3},
                                        .before = {0, 0, 0, 1},
                                        .out = {1, 1, 1, 8, 5, 3}})) == "6x5x3:8x5x3:reflect");
  CHECK(sizes_of(signature_of(kernel::function, f32, f32,
                              function_shape{{{1, 2, 3}, {}}, {1, 6}})) == "1x2x3:1x6");
}

TEST_CASE("a depthwise convolution says so") {
  auto s = conv;
  s.in_channels = s.out_channels = s.groups = 8;
  CHECK(text_of<isa::scalar>(signature_of(kernel::conv2d, quint8, quint8, s))
            .find("depthwise:4x1x1") != std::string::npos);
}

#if defined(__AVX512VNNI__)
TEST_CASE("blocks are those of the instruction set") {
  CHECK(text_of<isa::avx512vnni>(
            signature_of(kernel::linear, quint8, quint8, linear_shape{1, 64, 40}))
            .find("dense:1x2x16") != std::string::npos);
}

TEST_CASE("few channels of a depthwise convolution share registers with other rows") {
  const auto text = [](int channels) {
    auto s = conv;
    s.in_channels = s.out_channels = s.groups = channels;
    return text_of<isa::avx512vnni>(signature_of(kernel::conv2d, quint8, quint8, s));
  };
  CHECK(text(16).find("depthwise:columns:2x4x8:two_rows") != std::string::npos);
  CHECK(text(32).find("depthwise:columns:2x4x8") != std::string::npos);
  CHECK(text(32).find("two_rows") == std::string::npos);
}

TEST_CASE("few channels are done with half registers") {
  CHECK(
      text_of<isa::avx512vnni>(signature_of(kernel::linear, quint8, quint8, linear_shape{9, 64, 8}))
          .find("dense:9x1x8") != std::string::npos);
  CHECK(text_of<isa::avx512vnni>(
            signature_of(kernel::linear_dynamic, f32, f32, linear_shape{9, 64, 8}))
            .find("dense:9x1x16") != std::string::npos);
}
#endif

TEST_CASE("of tiles, their blocks, and what is brought together for them") {
  const auto blocking = [](const conv2d_shape& s) {
    std::string text;
    kernels::append_blocking<emulation::with_tiles>(text, s, quint8, true);
    return text;
  };
  // In the order of conv2d_shape: N, H, W, C, O, kernel, stride, padding.
  CHECK(blocking({1, 56, 56, 64, 64, 3, 3, 1, 1, 1, 1}) == "tiles:1x4:rows14:chunk224");
  CHECK(blocking({1, 14, 14, 1024, 2048, 1, 1, 2, 2}) == "tiles:2x2:rows13:chunk2:gathered");
  CHECK(blocking({1, 224, 224, 3, 64, 7, 7, 2, 2, 3, 3}) == "tiles:1x4:rows16:chunk784:bands2x1");
}
