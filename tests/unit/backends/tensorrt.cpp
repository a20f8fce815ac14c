// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/tensorrt.hpp"

#include <doctest/doctest.h>

#include "table.hpp"

using namespace backend_tests;

namespace {

template <auto... Op>
constexpr int at = place<tensorrt, Op...>();
template <auto... Op>
constexpr const backend_pattern_config_record& of = row<tensorrt, Op...>;

static_assert(backend_v<tensorrt>.name == "tensorrt");
static_assert(count(backend_v<tensorrt>) == counts{.rows = 149,
                                                   .fuser_method = 21,
                                                   .fused_module = 18,
                                                   .root_module = 30,
                                                   .qat_module = 15,
                                                   .reference = 27,
                                                   .num_tensor_args = 16,
                                                   .input_type_to_index = 8,
                                                   .share = 60,
                                                   .not_observed = 2});
static_assert(finding_count<tensorrt> == 0);

static_assert(at<fn::conv_transpose3d> == 56);
static_assert(at<fn::addmm> == 57);
static_assert(at<fn::cat> == 58);
static_assert(at<nn::linear> == 59);
static_assert(at<op::add, nn::relu> == 71);
static_assert(at<nn::adaptive_avg_pool1d> == 88);
static_assert(at<method::size> == 148);
static_assert(at<nn::sigmoid> == -1);
static_assert(at<nn::batch_norm2d> == -1);

TEST_CASE("activations are signed throughout") {
  for (const backend_pattern_config_record& c : backend_v<tensorrt>.configs) {
    REQUIRE(c.dtype_configs.size() == 1);
    CHECK(c.dtype_configs[0].input_dtype == dtype_with_constraints<qint8>::value);
    CHECK(c.dtype_configs[0].output_dtype == dtype_with_constraints<qint8>::value);
    CHECK(!c.dtype_configs[0].is_dynamic);
  }
  CHECK(has<signed_weighted_int8>(of<nn::linear>));
  CHECK(has<signed_activation_int8>(of<nn::relu>));
}

TEST_CASE("addmm has its bias first") {
  CHECK(of<fn::addmm>.input_type_to_index ==
        input_index_record{.input = 1, .weight = 2, .bias = 0});
}

}  // namespace
