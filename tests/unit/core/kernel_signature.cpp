// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/function_shape.hpp"
#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/window_shapes.hpp"

#include <doctest/doctest.h>

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

constexpr conv2d_shape conv{.batch = 2, .in_h = 28, .in_w = 30, .out_channels = 12, .groups = 3};

constexpr kernel_signature signature = signature_of(kernel::conv2d, quint8, qint8, conv, true);
static_assert(signature.kernel == kernel::conv2d && signature.in == quint8 &&
              signature.out == qint8 && signature.relu);
static_assert(signature.as<conv2d_shape>() == conv);
static_assert(signature == signature_of(kernel::conv2d, quint8, qint8, conv, true));
static_assert(signature != signature_of(kernel::conv2d, quint8, qint8, conv, false));
static_assert(signature != signature_of(kernel::conv2d, quint8, quint8, conv, true));
static_assert(signature.then == fused_op::nothing && name_of(fused_op::add_relu) == "add_relu");
constexpr kernel_signature with_sum = [] {
  kernel_signature k = signature;
  k.then = fused_op::add;
  return k;
}();
static_assert(with_sum != signature && with_sum.as<conv2d_shape>() == conv);

// Ops of a user's own: their signature says whose functions are called.
constexpr auto twice(const op_info* own) {
  return signature_of(kernel::elementwise, quint8, quint8, elementwise_shape{4}, false, own);
}
static_assert(twice(nn::relu.id()) == twice(nn::relu.id()));
static_assert(twice(nn::relu.id()) != twice(fn::relu.id()));

template <kernel_signature Signature>
inline constexpr int channels = Signature.template as<conv2d_shape>().out_channels;
static_assert(channels<signature> == 12);  // a template argument

TEST_CASE("every shape survives being kept in a signature") {
  const pool_shape pool{.batch = 1,
                        .in_h = 7,
                        .in_w = 8,
                        .channels = 3,
                        .out_h = 3,
                        .out_w = 4,
                        .kernel_h = 2,
                        .kernel_w = 2,
                        .stride_h = 2,
                        .stride_w = 2,
                        .divisor = pool_shape::input_pixels,
                        .adaptive = 1};
  CHECK(signature_of(kernel::pooling_avg, f32, f32, pool).as<pool_shape>() == pool);
  const linear_shape linear{2, 128, 10};
  CHECK(signature_of(kernel::linear, f32, f32, linear).as<linear_shape>() == linear);
  const concat_shape concat{4, 16, 64, 32};
  CHECK(signature_of(kernel::concat, quint8, quint8, concat).as<concat_shape>() == concat);
  const transpose_shape transpose{1, 3, 49};
  CHECK(signature_of(kernel::to_nhwc, f32, f32, transpose).as<transpose_shape>() == transpose);
  const function_shape function{{{1, 3, 8, 8}, {2}}, {1, 3}};
  CHECK(signature_of(kernel::function, f32, f32, function).as<function_shape>() == function);
  CHECK(signature_of(kernel::relu, f32, f32, elementwise_shape{5}).as<elementwise_shape>().count ==
        5);
  CHECK(signature_of(kernel::batch_norm2d, f32, f32, channels_shape{49, 8}).as<channels_shape>() ==
        channels_shape{49, 8});
}

TEST_CASE("kernels have the names of their enumerators") {
  CHECK(name_of(kernel::quantize) == "quantize");
  CHECK(name_of(kernel::binary_add) == "binary_add");
  CHECK(name_of(kernel::linear_dynamic) == "linear_dynamic");
  CHECK(name_of(kernel::batch_norm2d) == "batch_norm2d");
  CHECK(name_of(kernel::concat) == "concat");
  CHECK(name_of(kernel::elementwise) == "elementwise");
  CHECK(name_of(kernel::function) == "function");
  CHECK(name_of(kernel::to_nchw) == "to_nchw");
  CHECK(name_of(kernel::binary_add_within_one_step) == "binary_add_within_one_step");
}

}  // namespace
