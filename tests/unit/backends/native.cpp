// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/native.hpp"

#include <doctest/doctest.h>

#include "table.hpp"

using namespace backend_tests;

namespace {

template <auto... Op>
constexpr int at = place<native, Op...>();
template <auto... Op>
constexpr const backend_pattern_config_record& of = row<native, Op...>;

static_assert(backend_v<native>.name == "native");
static_assert(count(backend_v<native>) == counts{.rows = 194,
                                                 .fuser_method = 25,
                                                 .fused_module = 22,
                                                 .root_module = 39,
                                                 .qat_module = 17,
                                                 .reference = 36,
                                                 .num_tensor_args = 16,
                                                 .input_type_to_index = 10,
                                                 .share = 60,
                                                 .not_observed = 2});
static_assert(finding_count<native> == 0);

// The places of the categories, in PyTorch 2.1's order of registration.
static_assert(at<nn::conv1d> == 0);
static_assert(at<nn::conv2d> == 19);
static_assert(at<nn::conv3d> == 38);
static_assert(at<nn::linear> == 57);
static_assert(at<op::add, nn::relu> == 69);
static_assert(at<fn::matmul> == 85);
static_assert(at<fn::cat> == 86);
static_assert(at<nn::elu> == 87);
static_assert(at<nn::hardsigmoid> == 101);
static_assert(at<nn::adaptive_avg_pool1d> == 114);
static_assert(at<method::view> == 172);
static_assert(at<method::shape> == 173);
static_assert(at<method::size> == 174);
static_assert(at<nn::batch_norm2d, nn::relu> == 175);
static_assert(at<nn::layer_norm> == 183);
static_assert(at<nn::gru_cell> == 185);
static_assert(at<nn::embedding> == 190);
static_assert(at<nnqat::embedding_bag> == 193);

// What PyTorch does not list.
static_assert(at<nn::flatten> == -1);
static_assert(at<fn::torch_relu> == -1);
static_assert(at<op::sub> == -1);

TEST_CASE("a convolution has a root, a form in training and a reference form") {
  const backend_pattern_config_record& c = of<nn::conv3d>;
  CHECK(c.root_module == nn::conv3d.id());
  CHECK(c.qat_module == nnqat::conv3d.id());
  CHECK(c.reference_quantized_module_for_root == nnqr::conv3d.id());
  CHECK(c.observation_type == different);
  CHECK(has<weighted_int8>(c));
  CHECK(of<nniqat::conv_bn_relu1d>.root_module == nn::conv1d.id());
  CHECK(of<nniqat::conv_bn_relu1d>.reference_quantized_module_for_root == nnqr::conv1d.id());
}

TEST_CASE("a convolution is fused with what follows it, with a batch norm by a fuser of its own") {
  CHECK(of<nn::conv2d, nn::relu>.fused_module == nni::conv_relu2d.id());
  CHECK(of<nn::conv2d, fn::relu>.fuser_method == &sequential_wrapper2);
  CHECK(of<nn::conv1d, nn::batch_norm1d>.fused_module == nni::conv_bn1d.id());
  CHECK(of<nn::conv1d, nn::batch_norm1d>.fuser_method == &fuse_conv_bn);
  CHECK(of<nn::conv2d, nn::batch_norm2d, fn::relu>.fused_module == nni::conv_bn_relu2d.id());
  CHECK(of<nn::conv2d, nn::batch_norm2d, fn::relu>.fuser_method == &fuse_conv_bn_relu);
  const backend_pattern_config_record& transposed = of<nn::conv_transpose2d, nn::batch_norm2d>;
  CHECK(transposed.fused_module == nullptr);
  CHECK(transposed.fuser_method == &fuse_convtranspose_bn);
  CHECK(transposed.reference_quantized_module_for_root == nnqr::conv_transpose2d.id());
}

TEST_CASE("the roots are PyTorch's own, where they seem to be missing too") {
  CHECK(of<nni::conv_relu2d>.root_module == nullptr);
  CHECK(of<nni::conv_relu2d>.qat_module == nniqat::conv_relu2d.id());
  CHECK(of<nni::linear_relu>.root_module == nn::linear.id());
  CHECK(of<nn::conv2d, nn::batch_norm2d, nn::relu>.root_module == nullptr);
  CHECK(of<nn::conv2d, nn::batch_norm2d, fn::relu>.root_module == nn::conv2d.id());
  CHECK(of<nn::linear, nn::batch_norm1d>.root_module == nullptr);
}

TEST_CASE("a linear layer can be static, dynamic or in half precision") {
  CHECK(has<weighted_int8, dynamic_int8, dynamic_float16>(of<nn::linear>));
  CHECK(has<weighted_int8, dynamic_int8, dynamic_float16>(of<fn::linear, fn::relu>));
  CHECK(has<dynamic_int8, dynamic_float16>(of<nn::lstm>));
  CHECK(has<weight_only_quint8, weight_only_quint4x2>(of<nn::embedding_bag>));
  CHECK(has<layer_norm_int8>(of<fn::layer_norm>));
}

TEST_CASE("functions say where their weight and bias are") {
  CHECK(of<fn::conv_transpose1d>.input_type_to_index == input_index_record{.weight = 1, .bias = 2});
  CHECK(of<fn::group_norm>.input_type_to_index == input_index_record{.weight = 2, .bias = 3});
  CHECK(of<fn::instance_norm>.input_type_to_index == input_index_record{.weight = 3, .bias = 4});
  CHECK(of<fn::layer_norm>.input_type_to_index == input_index_record{.weight = 2, .bias = 3});
}

TEST_CASE("a sum with a number has the input's parameters, with a tensor its own") {
  CHECK(of<op::add>.observation_for(0) == different);
  CHECK(of<op::add>.observation_for(1) == share);
  CHECK(of<op::add>.observation_for(2) == different);
  CHECK(of<fn::mul, fn::torch_relu>.observation_for(1) == share);
  CHECK(of<fn::matmul>.observation_for(1) == different);
  CHECK(has<activation_int8>(of<op::mul>));
}

TEST_CASE("what moves values shares the observer, what only asks about them has none") {
  CHECK(of<nn::max_pool2d>.observation_type == share);
  CHECK(of<fn::cat>.observation_type == share);
  CHECK(of<method::size>.observation_type == unobserved);
  CHECK(of<nn::leaky_relu>.observation_type == different);
}

TEST_CASE("a sigmoid asks for its scale on both sides, and nothing of a weight") {
  const dtype_config_record& sigmoid = of<nn::sigmoid>.dtype_configs[0];
  CHECK(sigmoid.input_dtype == sigmoid.output_dtype);
  CHECK(sigmoid.output_dtype.quant_min_lower_bound == optional_int{0});
  CHECK(sigmoid.output_dtype.quant_max_upper_bound == optional_int{255});
  CHECK(sigmoid.output_dtype.scale_exact_match == optional_real{1.0 / 256});
  CHECK(sigmoid.output_dtype.zero_point_exact_match == optional_int{0});
  CHECK(sigmoid.weight_dtype == dtype_with_constraints_record{});
  const dtype_config_record& tanh = of<method::tanh_>.dtype_configs[0];
  CHECK(tanh.input_dtype.scale_exact_match == optional_real{2.0 / 256});
  CHECK(tanh.input_dtype.zero_point_exact_match == optional_int{128});
}

}  // namespace
