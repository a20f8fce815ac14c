// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/layer_call.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>
#include <vector>

using namespace ctq;

static_assert(lowered::layer_of(nni::conv_add2d.id()) == nn::conv2d.id());
static_assert(lowered::layer_of(nni::linear_tanh.id()) == nn::linear.id());
static_assert(lowered::layer_of(fn::linear.id()) == fn::linear.id());

namespace {

quantized_tensor qparams_of(dtype d, float_ops::extents shape, const std::vector<std::int32_t>& q,
                            std::int32_t zero_point = 0, double scale = 1.0) {
  return {{d, -1, {scale}, {zero_point}, {}}, std::move(shape), q};
}

/// What the node computes of x, a weight and a bias, and perhaps a second tensor.
result<std::optional<node_value>> computed(op_id op, const quantized_tensor& in,
                                           const node_value& weight, const float_ops::value& bias,
                                           const attributes& attrs = {},
                                           const quantized_tensor* other = nullptr) {
  kernel_calls kernels(*kernel_functions_of<reference_kernels>());
  lowered::ready_layer kept;
  const node n{.name = "y", .op = op, .attrs = attrs};
  float_ops::python_call call{.positional = {{}}, .attributes = {{"weight", {}}, {"bias", bias}}};
  std::vector<node_value> reads = {node_value(in)};
  if (other != nullptr) {
    call.positional.push_back({});
    reads.emplace_back(*other);
  }
  return lowered::layer_by_kernel(n, lowered::origin_of(op), in, weight, std::move(call), reads, {},
                                  {quint8, -1, {0.5}, {3}, {}}, kernels, kept);
}

const quantized_tensor weight = qparams_of(qint8, {2, 2}, {1, 2, -3, 1});

}  // namespace

TEST_CASE("a linear layer adds up integers and rounds once, in the scale of its output") {
  const auto out = computed(q::linear_relu.id(), qparams_of(quint8, {1, 2}, {13, 9}, 10),
                            node_value(weight), float_ops::tensor{{2}, {1.0F, 0.0F}});
  REQUIRE(out.has_value());
  REQUIRE(out->has_value());
  CHECK((*out)->integers()->int_repr() == std::vector<std::int32_t>{7, 3});  // 2, and relu of -10
}

TEST_CASE("what follows a layer reads its sums, which are not rounded") {
  const quantized_tensor in = qparams_of(quint8, {1, 2}, {13, 9}, 10, 0.125);  // sums 0.125, -1.25
  const float_ops::value bias = float_ops::tensor{{2}, {0.0F, 0.0F}};
  const attributes slope = with_following(attributes{linear_options{2, 2}},
                                          attributes{leaky_relu_options{.negative_slope = 0.75F}});
  const auto leaky = computed(q::linear_leaky_relu.id(), in, node_value(weight), bias, slope);
  REQUIRE(leaky.has_value());
  REQUIRE(leaky->has_value());
  CHECK((*leaky)->integers()->int_repr() == std::vector<std::int32_t>{3, 1});  // 0.125, -0.9375
  const auto tanh = computed(q::linear_tanh.id(), in, node_value(weight), bias, slope);
  REQUIRE(tanh.has_value());
  REQUIRE(tanh->has_value());
  CHECK((*tanh)->integers()->int_repr() == std::vector<std::int32_t>{3, 1});  // 0.124, -0.848
}

TEST_CASE("a tensor is added to the sums of a convolution") {
  const quantized_tensor in = qparams_of(quint8, {1, 2, 1, 1}, {13, 9}, 10, 0.125);
  const quantized_tensor other = qparams_of(quint8, {1, 2, 1, 1}, {12, 13}, 10, 0.0625);
  const quantized_tensor of_conv = qparams_of(qint8, {2, 2, 1, 1}, {1, 2, -3, 1});
  const attributes one_pixel{conv2d_options{.in_channels = 2, .out_channels = 2, .kernel_size = 1}};
  for (const op_id op : {q::conv_add2d.id(), q::conv_add_relu2d.id()}) {
    const auto out = computed(op, in, node_value(of_conv), float_ops::tensor{{2}, {0.25F, 0.0F}},
                              one_pixel, &other);
    REQUIRE(out.has_value());
    REQUIRE(out->has_value());
    const bool relu = op == q::conv_add_relu2d.id();
    // 0.375 + 0.125 is a step; -1.25 + 0.1875 is two steps below.
    CHECK((*out)->integers()->int_repr() == std::vector<std::int32_t>{4, relu ? 3 : 1});
  }
}

TEST_CASE("the padding of a convolution is a number or a word") {
  const quantized_tensor in = qparams_of(quint8, {1, 1, 4, 4}, std::vector<std::int32_t>(16, 1));
  const quantized_tensor odd = qparams_of(qint8, {1, 1, 3, 3}, std::vector<std::int32_t>(9, 1));
  const quantized_tensor even = qparams_of(qint8, {1, 1, 2, 2}, std::vector<std::int32_t>(4, 1));
  const auto shape_with = [&in](float_ops::value padding, const quantized_tensor& w, int dilation) {
    return lowered::weighted(
        fn::conv2d.id(), in, node_value(w),
        {.positional = {float_ops::none{}, float_ops::none{}},
         .keywords = {{"padding", std::move(padding)}, {"dilation", dilation}}},
        [](const auto& layer, auto) { return layer ? layer->out : float_ops::extents{}; });
  };
  CHECK(*shape_with(1, odd, 1) == float_ops::extents{1, 1, 4, 4});
  CHECK(*shape_with("same", odd, 1) == float_ops::extents{1, 1, 4, 4});
  CHECK(*shape_with("same", even, 2) == float_ops::extents{1, 1, 4, 4});
  CHECK(*shape_with("valid", odd, 1) == float_ops::extents{1, 1, 2, 2});
  CHECK(shape_with("same", even, 1)->empty());  // one row more at one side: no kernel has it
  CHECK(shape_with("most", odd, 1).error().cause == "unknown padding 'most'");
}

TEST_CASE("integers that do not fit are an error") {
  const auto of = [](const quantized_tensor& in, const node_value& w, const float_ops::value& b) {
    return computed(q::linear.id(), in, w, b).error().cause;
  };
  const quantized_tensor in = qparams_of(quint8, {1, 3}, {1, 2, 3});
  const quantized_tensor one = qparams_of(qint8, {1, 2}, {1, 2});
  const float_ops::tensor two{{2}, {1.0F, 2.0F}};
  CHECK(of(in, node_value(one), {}) == "the input does not fit the weight");
  const quantized_tensor fits = qparams_of(quint8, {1, 2}, {1, 2});
  CHECK(of(fits, node_value(one), two) == "the bias does not fit the weight");
  CHECK(of(fits, float_ops::value(dequantize(one)), two) == "the weight is not quantized");
}
