// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/fbgemm.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/native.hpp"
#include "table.hpp"

using namespace backend_tests;

namespace {

template <auto... Op>
constexpr int at = place<fbgemm, Op...>();
template <auto... Op>
constexpr const backend_pattern_config_record& of = row<fbgemm, Op...>;

static_assert(backend_v<fbgemm>.name == "fbgemm");
static_assert(count(backend_v<fbgemm>) == counts{.rows = 192,
                                                 .fuser_method = 25,
                                                 .fused_module = 22,
                                                 .root_module = 39,
                                                 .qat_module = 17,
                                                 .reference = 36,
                                                 .num_tensor_args = 16,
                                                 .input_type_to_index = 9,
                                                 .share = 60,
                                                 .not_observed = 2});
static_assert(finding_count<fbgemm> == 0);

static_assert(at<nni::bn_relu3d> == 182);
static_assert(at<nn::gru_cell> == 183);
static_assert(at<nn::gru> == 187);
static_assert(at<nnqat::embedding_bag> == 191);

TEST_CASE("it is the native backend without layer norm") {
  const auto& all = backend_v<native>.configs;
  const auto& some = backend_v<fbgemm>.configs;
  int n = 0;
  for (const backend_pattern_config_record& c : all) {
    const op_id op = c.pattern.anchor();
    if (op == nn::layer_norm.id() || op == fn::layer_norm.id()) continue;
    REQUIRE(n < some.size());
    CHECK(some[n++] == c);
  }
  CHECK(n == some.size());
  CHECK(place<fbgemm, nn::layer_norm>() == -1);
  CHECK(has<activation_int8>(of<op::add>));
}

}  // namespace
