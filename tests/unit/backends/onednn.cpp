// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/onednn.hpp"

#include <doctest/doctest.h>

#include "table.hpp"

using namespace backend_tests;

namespace {

template <auto... Op>
constexpr int at = place<onednn, Op...>();
template <auto... Op>
constexpr const backend_pattern_config_record& of = row<onednn, Op...>;

static_assert(backend_v<onednn>.name == "onednn");
static_assert(count(backend_v<onednn>) == counts{.rows = 221,
                                                 .fuser_method = 46,
                                                 .fused_module = 43,
                                                 .root_module = 43,
                                                 .qat_module = 17,
                                                 .reference = 40,
                                                 .num_tensor_args = 16,
                                                 .input_type_to_index = 10,
                                                 .root_node_getter = 16,
                                                 .extra_inputs_getter = 16,
                                                 .share = 60});

static_assert(at<fn::conv_transpose3d> == 56);
static_assert(at<nni::conv_add2d> == 65);
static_assert(at<nni::conv_add_relu2d> == 74);
static_assert(at<nn::linear> == 75);
static_assert(at<nn::linear, nn::leaky_relu> == 87);
static_assert(at<nn::linear, nn::batch_norm1d, nn::leaky_relu> == 92);
static_assert(at<nn::linear, nn::tanh> == 93);
static_assert(at<fn::linear, fn::tanh> == 97);
static_assert(at<op::add, nn::relu> == 98);
static_assert(at<fn::layer_norm> == 211);
static_assert(at<nnqat::embedding_bag> == 220);
static_assert(at<method::size> == -1);

constexpr auto conv_bn = nested<nn::batch_norm2d, nn::conv2d>;

// For each form of a sum: the conv on the left before the right, with a batch norm before without,
// torch.add before the operator.
static_assert(at<nested<fn::add, conv_bn, match_all>> == 57);
static_assert(at<nested<op::add, conv_bn, match_all>> == 58);
static_assert(at<nested<fn::add, nn::conv2d, match_all>> == 59);
static_assert(at<nested<op::add, nn::conv2d, match_all>> == 60);
static_assert(at<nested<fn::add, match_all, conv_bn>> == 61);
static_assert(at<nested<op::add, match_all, conv_bn>> == 62);
static_assert(at<nested<fn::add, match_all, nn::conv2d>> == 63);
static_assert(at<nested<op::add, match_all, nn::conv2d>> == 64);
static_assert(at<nested<fn::add, conv_bn, match_all>, nn::relu> == 66);
static_assert(at<nested<op::add, match_all, nn::conv2d>, nn::relu> == 73);

/// Root and extra input lead to these ops; nullptr: anything.
constexpr bool leads_to(const backend_pattern_config_record& c, op_id root, op_id extra) {
  return c.pattern.element[element_at(c.pattern, c.root_node_getter)].op == root &&
         c.extra_inputs_getter.size() == 1 &&
         c.pattern.element[element_at(c.pattern, c.extra_inputs_getter[0])].op == extra;
}

TEST_CASE("a sum is fused into a convolution on either side of it") {
  for (int i = 57; i < 74; ++i) {
    if (i == at<nni::conv_add2d>) continue;
    const backend_pattern_config_record& c = backend_v<onednn>.configs[i];
    CHECK(leads_to(c, nn::conv2d.id(), nullptr));
    CHECK(c.fused_module == (i < 65 ? nni::conv_add2d.id() : nni::conv_add_relu2d.id()));
    CHECK(c.root_module == nullptr);
    CHECK(has<weighted_int8>(c));
  }
  const backend_pattern_config_record& left = of<nested<op::add, conv_bn, match_all>, nn::relu>;
  CHECK(left.root_node_getter == path<1, 1, 1>::value);
  CHECK(left.extra_inputs_getter[0] == path<1, 2>::value);
  CHECK(left.fuser_method == &fuse_conv_bn_add_relu_left);
  const backend_pattern_config_record& right = of<nested<fn::add, match_all, nn::conv2d>>;
  CHECK(right.root_node_getter == path<2>::value);
  CHECK(right.extra_inputs_getter[0] == path<1>::value);
  CHECK(right.fuser_method == &fuse_conv_add_right);
}

TEST_CASE("a convolution with a sum has a reference form and none in training") {
  for (const backend_pattern_config_record& c : {of<nni::conv_add2d>, of<nni::conv_add_relu2d>}) {
    CHECK(c.root_module == nn::conv2d.id());
    CHECK(c.reference_quantized_module_for_root == nnqr::conv2d.id());
    CHECK(c.qat_module == nullptr);
  }
}

TEST_CASE("a linear layer takes up a leaky relu or a tanh") {
  CHECK(of<nn::linear, nn::leaky_relu>.fused_module == nni::linear_leaky_relu.id());
  CHECK(of<nn::linear, nn::leaky_relu>.fuser_method == &sequential_wrapper2);
  CHECK(of<nn::linear, nn::batch_norm1d, nn::leaky_relu>.fuser_method ==
        &fuse_linear_bn_leaky_relu);
  CHECK(of<nn::linear, fn::tanh>.fused_module == nni::linear_tanh.id());
  CHECK(of<nni::linear_tanh>.root_module == nn::linear.id());
  CHECK(of<fn::linear, fn::leaky_relu>.fuser_method == nullptr);
  CHECK(has<weighted_int8, dynamic_int8>(of<nni::linear_leaky_relu>));
}

TEST_CASE("half precision is not there, and embeddings are signed") {
  CHECK(has<weighted_int8, dynamic_int8>(of<nn::linear>));
  CHECK(has<dynamic_int8>(of<nn::lstm_cell>));
  CHECK(has<weight_only_qint8>(of<nn::embedding>));
  CHECK(has<activation_int8>(of<op::mul>));
}

constexpr int wrong = validate(backend_v<onednn>).size();

TEST_CASE("nothing is wrong") { CHECK(wrong == 0); }

}  // namespace
