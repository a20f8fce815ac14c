// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/executorch.hpp"

#include <doctest/doctest.h>

#include "table.hpp"

using namespace backend_tests;

namespace {

template <auto... Op>
constexpr int at = place<executorch, Op...>();
template <auto... Op>
constexpr const backend_pattern_config_record& of = row<executorch, Op...>;

static_assert(backend_v<executorch>.name == "executorch");
static_assert(count(backend_v<executorch>) == counts{.rows = 83,
                                                     .fuser_method = 5,
                                                     .fused_module = 5,
                                                     .root_module = 12,
                                                     .qat_module = 7,
                                                     .reference = 11,
                                                     .num_tensor_args = 24,
                                                     .input_type_to_index = 3,
                                                     .share = 34});
static_assert(finding_count<executorch> == 0);

static_assert(at<nn::linear> == 0);
static_assert(at<nn::conv2d> == 3);
static_assert(at<op::add, nn::relu> == 19);
static_assert(at<fn::sub> == 34);
static_assert(at<fn::adaptive_avg_pool2d> == 43);
static_assert(at<method::leaky_relu> == 73);
static_assert(at<nn::batch_norm2d> == 74);
static_assert(at<fn::cat> == 75);
static_assert(at<fn::concatenate> == 77);
static_assert(at<fn::embedding> == 80);
static_assert(at<nnqat::embedding_bag> == 82);

// What it does not have.
static_assert(at<nn::conv1d> == -1);
static_assert(at<nn::conv_transpose2d> == -1);
static_assert(at<nn::linear, nn::relu> == -1);
static_assert(at<nn::relu> == -1);
static_assert(at<fn::matmul> == -1);

TEST_CASE("a linear layer can be symmetric, dynamic, both, or in half precision") {
  CHECK(has<symmetric_weighted_int8, weighted_int8, dynamic_int8, symmetric_dynamic_int8,
            dynamic_float16>(of<nnqat::linear>));
  CHECK(has<symmetric_weighted_int8, weighted_int8>(of<fn::conv2d, nn::relu>));
  CHECK(has<symmetric_activation_int8, weighted_int8>(of<op::sub, fn::relu>));
  CHECK(has<symmetric_activation_int8, activation_int8>(of<fn::concat>));
  CHECK(has<weight_only_quint8>(of<nn::embedding>));
  const dtype_config_record& both = symmetric_dynamic_int8::value;
  CHECK(both.is_dynamic);
  CHECK(both.input_dtype.scale_min_lower_bound == optional_real{0x1p-12});
  CHECK(both.output_dtype.dtype == f32);
}

TEST_CASE("leaky relu and ELU share the observer of their input, as in no other backend") {
  CHECK(of<nn::leaky_relu>.observation_type == share);
  CHECK(of<fn::leaky_relu_>.observation_type == share);
  CHECK(of<fn::elu>.observation_type == share);
  CHECK(of<nn::batch_norm2d>.observation_type == different);
}

TEST_CASE("the embedding function says where its weight is") {
  CHECK(of<fn::embedding>.input_type_to_index == input_index_record{.weight = 1});
  CHECK(of<fn::embedding>.root_module == nullptr);
}

}  // namespace
