// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/x86.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/fbgemm.hpp"
#include "table.hpp"

using namespace backend_tests;

namespace {

template <auto... Op>
constexpr int at = place<x86, Op...>();
template <auto... Op>
constexpr const backend_pattern_config_record& of = row<x86, Op...>;

static_assert(backend_v<x86>.name == "x86");
static_assert(count(backend_v<x86>) == counts{.rows = 192,
                                              .fuser_method = 25,
                                              .fused_module = 22,
                                              .root_module = 39,
                                              .qat_module = 17,
                                              .reference = 36,
                                              .num_tensor_args = 16,
                                              .input_type_to_index = 9,
                                              .share = 60,
                                              .not_observed = 2});
static_assert(finding_count<x86> == 0);
struct checked : checked_backend<x86> {};
static_assert(sizeof(checked) > 0);

static_assert(at<nn::conv2d> == 19);
static_assert(at<nn::conv2d, nn::relu> == 22);
static_assert(at<nn::conv2d, nn::batch_norm2d, fn::relu> == 30);
static_assert(at<nn::linear> == 57);
static_assert(at<fn::cat> == 86);
static_assert(at<nn::batch_norm2d> == 177);

// A backend of one's own, made of this one.
struct with_flatten
    : x86::set<"with_flatten", rows::sharing<dtype_configs<activation_int8>, nn::flatten>,
               rows::plain<dtype_configs<weighted_int8>, nn::conv2d>> {};
static_assert(backend_v<with_flatten>.configs.size() == 193);
static_assert(place<with_flatten, nn::flatten>() == 192);
static_assert(place<with_flatten, nn::conv2d>() == 19);
static_assert(row<with_flatten, nn::conv2d>.root_module == nullptr);

TEST_CASE("it is fbgemm, but for arithmetic and fixed ranges, which have a weight's dtype") {
  const auto& theirs = backend_v<fbgemm>.configs;
  const auto& ours = backend_v<x86>.configs;
  REQUIRE(ours.size() == theirs.size());
  int differing = 0;
  for (int i = 0; i < ours.size(); ++i) {
    if (ours[i] == theirs[i]) continue;
    ++differing;
    backend_pattern_config_record c = ours[i];
    c.dtype_configs = theirs[i].dtype_configs;
    CHECK(c == theirs[i]);
    CHECK(ours[i].dtype_configs[0].weight_dtype.dtype == qint8);
    CHECK(ours[i].dtype_configs[0].bias_dtype == f32);
  }
  CHECK(differing == 17 + 13);
  CHECK(has<weighted_int8>(of<fn::matmul>));
  CHECK(of<nn::softmax>.dtype_configs[0].output_dtype.scale_exact_match ==
        optional_real{1.0 / 256});
}

}  // namespace
