// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/qnnpack.hpp"

#include <doctest/doctest.h>

#include "table.hpp"

using namespace backend_tests;

namespace {

template <auto... Op>
constexpr int at = place<qnnpack, Op...>();
template <auto... Op>
constexpr const backend_pattern_config_record& of = row<qnnpack, Op...>;

static_assert(backend_v<qnnpack>.name == "qnnpack");
static_assert(count(backend_v<qnnpack>) == counts{.rows = 190,
                                                  .fuser_method = 25,
                                                  .fused_module = 22,
                                                  .root_module = 39,
                                                  .qat_module = 17,
                                                  .reference = 36,
                                                  .num_tensor_args = 16,
                                                  .input_type_to_index = 9,
                                                  .share = 60});
static_assert(finding_count<qnnpack> == 0);

static_assert(at<method::view> == 172);
static_assert(at<method::shape> == -1);
static_assert(at<nn::batch_norm2d, nn::relu> == 173);
static_assert(at<nn::gru> == 185);
static_assert(at<nnqat::embedding_bag> == 189);

TEST_CASE("what XNNPACK runs comes before what QNNPACK runs") {
  CHECK(has<symmetric_weighted_int8, weighted_int8>(of<nn::conv2d, nn::relu>));
  CHECK(has<symmetric_weighted_int8, weighted_int8, dynamic_int8, dynamic_float16>(of<nn::linear>));
  CHECK(has<symmetric_activation_int8, activation_int8>(of<op::add, fn::torch_relu>));
  CHECK(has<symmetric_activation_int8, activation_int8>(of<nn::batch_norm3d>));
  CHECK(has<dynamic_int8, dynamic_float16>(of<nn::gru>));
}

TEST_CASE("XNNPACK bounds its scales from below and its weights to 255 values") {
  const dtype_config_record& d = of<nn::conv1d>.dtype_configs[0];
  CHECK(d.input_dtype.dtype == qint8);
  CHECK(d.input_dtype.scale_min_lower_bound == optional_real{0x1p-12});
  CHECK(!d.input_dtype.quant_min_lower_bound.given);
  CHECK(d.weight_dtype.quant_min_lower_bound == optional_int{-127});
  CHECK(d.weight_dtype.quant_max_upper_bound == optional_int{127});
  CHECK(d.weight_dtype.scale_min_lower_bound == optional_real{0x1p-12});
}

TEST_CASE("a fixed range is asked for in quint8 only") {
  const auto& configs = of<nn::sigmoid>.dtype_configs;
  REQUIRE(configs.size() == 2);
  CHECK(configs[0] == symmetric_activation_int8::value);
  CHECK(configs[1].output_dtype.scale_exact_match == optional_real{1.0 / 256});
  CHECK(configs[1].output_dtype.zero_point_exact_match == optional_int{0});
}

}  // namespace
