// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/kernels/packed_layer.hpp"

#include <doctest/doctest.h>

#include "ctq/evaluate/kernels/kernel_functions.hpp"

using namespace ctq;

namespace {

constexpr conv_transpose2d_shape two_groups{.batch = 1,
                                            .in_h = 1,
                                            .in_w = 2,
                                            .in_channels = 4,
                                            .out_channels = 2,
                                            .kernel_h = 1,
                                            .kernel_w = 2,
                                            .groups = 2};
constexpr qparams one{0.5F, 3, 0, 255};
const kernel_packing packing_of_reference = kernel_functions_of<reference_kernels>()->packing;

packed_layer packed(tensor_qparams scales, std::int32_t last = 7) {
  const quantized_tensor weight{std::move(scales), {4, 1, 1, 2}, {0, 1, 2, 3, 4, 5, 6, last}};
  return pack_integer_layer(packing_of_reference, two_groups, weight, {},
                            tensor_qparams_of(quint8, one), &one);
}

}  // namespace

TEST_CASE("weights of transposed convolutions lie by output, tap and input") {
  const std::vector<float> weight = {0, 1, 2, 3, 4, 5, 6, 7};  // (I, O/g, 1, 2)
  CHECK(layer_packing::ordered(two_groups, ctq::span<const float>(weight)) ==
        std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7});
}

TEST_CASE("along three axes the depth comes after the taps of a plane") {
  const conv_transpose3d_shape s{.batch = 1,
                                 .in_d = 1,
                                 .in_h = 1,
                                 .in_w = 2,
                                 .in_channels = 2,
                                 .out_channels = 1,
                                 .kernel_d = 2,
                                 .kernel_h = 1,
                                 .kernel_w = 2};
  const std::vector<float> weight = {0, 1, 2, 3, 4, 5, 6, 7};  // (I, O, 2, 1, 2)
  CHECK(layer_packing::ordered(s, ctq::span<const float>(weight)) ==
        std::vector<float>{0, 4, 2, 6, 1, 5, 3, 7});
}

TEST_CASE("scales are those of the second axis of a transposed convolution, or one") {
  CHECK(packed({qint8, -1, {0.1}, {0}, {}}).exact);
  CHECK(packed({qint8, 1, {0.1}, {0}, {}}).exact);
  CHECK_FALSE(packed({qint8, 0, {0.1, 0.1, 0.1, 0.1}, {0, 0, 0, 0}, {}}).exact);
  CHECK_FALSE(packed({qint8, -1, {0.1}, {1}, {}}).exact);
  CHECK_FALSE(packed({quint8, -1, {0.1}, {0}, {}}, 128).exact);
}

TEST_CASE(
    "weights beside a bias that would leave int32 are packed coarser, as by compiled models") {
  const auto with_scale = [](double scale, std::vector<std::int32_t> integers) {
    const quantized_tensor weight{{qint8, -1, {scale}, {0}, {}}, {4, 1, 1, 2}, integers};
    const packed_layer p = pack_integer_layer(packing_of_reference, two_groups, weight,
                                              {3.0F, -3.0F}, tensor_qparams_of(quint8, one), &one);
    REQUIRE(p.exact);
    return std::vector<std::byte>(p.bytes.data(), p.bytes.data() + p.bytes.size());
  };
  const double scale = 0x1p-29;  // the bias is 3 * 2^30 steps of the accumulator
  CHECK(with_scale(scale, {0, 1, 2, 3, 4, 5, 6, 7}) ==
        with_scale(2 * scale, {0, 0, 1, 2, 2, 2, 3, 4}));
}
