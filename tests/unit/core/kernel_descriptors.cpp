// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/kernel_descriptors.hpp"

#include <doctest/doctest.h>

#include <boost/mp11/algorithm.hpp>
#include <initializer_list>
#include <type_traits>

using namespace ctq;

namespace {

constexpr bool exists(kernel_id k, dtype in, dtype out) {
  return kernels::exists({.kernel = k, .in = in, .out = out});
}

// The id of a kernel is its place in the list.
static_assert(kernels::kernel_count == 47);
static_assert(std::is_same_v<boost::mp11::mp_at_c<kernels::descriptors::list,
                                                  static_cast<std::size_t>(kernel::conv2d)>,
                             kernels::descriptors::conv2d>);
static_assert(name_of(kernel::quantize) == "quantize" &&
              name_of(kernel::pooling_avg) == "pooling_avg" &&
              name_of(kernel::binary_add_within_one_step) == "binary_add_within_one_step");
static_assert(kernels::facts_of(kernel::linear).has_weights &&
              !kernels::facts_of(kernel::batch_norm2d).has_weights);

// Ops of a user's own: their key says whose functions are called.
static_assert(kernels::facts_of(kernel::elementwise).calls_op &&
              kernels::facts_of(kernel::function).calls_op);
static_assert(!kernels::facts_of(kernel::concat).calls_op);

static_assert(exists(kernel::quantize, f32, quint8) && exists(kernel::quantize, f32, qint8));
static_assert(!exists(kernel::quantize, quint8, quint8) && !exists(kernel::quantize, f32, f32));
static_assert(!exists(kernel::quantize, f32, f16) && !exists(kernel::quantize, f32, qint32));
static_assert(exists(kernel::dequantize, qint8, f32) && !exists(kernel::dequantize, f32, f32));
static_assert(exists(kernel::requantize, quint8, qint8) && !exists(kernel::requantize, f32, qint8));
static_assert(exists(kernel::conv2d, f32, f32) && exists(kernel::conv2d, quint8, qint8));
static_assert(!exists(kernel::conv2d, f32, quint8) && !exists(kernel::conv3d, quint8, f32));
// Of layers after which something is computed in float.
static_assert(exists(kernel::conv2d, quint8, f32) && exists(kernel::linear, qint8, f32));
static_assert(exists(kernel::softmax, f32, f32) && exists(kernel::softmax, qint8, qint8) &&
              !exists(kernel::softmax, quint8, f32));
static_assert(exists(kernel::linear_dynamic, f32, f32) &&
              !exists(kernel::linear_dynamic, quint8, quint8));
static_assert(exists(kernel::binary_add_within_one_step, qint8, qint8) &&
              !exists(kernel::binary_add_within_one_step, f32, f32));

TEST_CASE("kernels that only move or compare values have equal input and output dtypes") {
  for (const kernel_id op :
       {kernel::relu, kernel::binary_add, kernel::binary_mul, kernel::binary_sub,
        kernel::binary_div, kernel::binary_add_broadcast, kernel::binary_mul_broadcast,
        kernel::pooling_max, kernel::pooling_avg, kernel::concat, kernel::elementwise,
        kernel::function, kernel::to_nhwc, kernel::to_nchw}) {
    CAPTURE(name_of(op));
    for (const dtype d : {f32, quint8, qint8}) CHECK(exists(op, d, d));
    for (const dtype d : {dtype::none, f16, qint32, quint4x2}) CHECK(!exists(op, d, d));
    CHECK(!exists(op, quint8, qint8));
    CHECK(!exists(op, f32, quint8));
  }
}

static_assert(exists(kernel::embedding, i64, f32) && exists(kernel::embedding_bag, i32, f32) &&
              !exists(kernel::embedding, f32, f32) && !exists(kernel::embedding, i64, quint8));

static_assert(exists(kernel::convert, i32, f32) && exists(kernel::convert, f32, i64) &&
              !exists(kernel::convert, f32, i32) && !exists(kernel::convert, f32, f32));

TEST_CASE("the existing kernels can be listed") {
  static_text<300> types, integers, key;
  kernels::append_types(types, kernel::quantize);
  CHECK(types.view() == "float32 to quint8, float32 to qint8");
  kernels::append_integer_kernels(integers);
  CHECK(integers.view() ==
        "requantize, relu, binary_add, binary_mul, binary_sub, binary_div, conv2d, conv3d, "
        "conv_transpose2d, conv_transpose3d, linear, batch_norm2d, pooling_max, pooling_avg, "
        "resampling, pixel_shuffle, pad, concat, reduction, softmax, layer_norm, prelu, matmul, "
        "elementwise, function");
  kernels::append_signature(key, kernel::conv2d, f32, quint8);
  CHECK(key.view() == "conv2d, float32 to quint8");
}

}  // namespace
