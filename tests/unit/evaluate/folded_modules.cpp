// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/folded_modules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ctq;

static_assert(folding::foldable_of(nn::linear.id()) == float_ops::foldable::linear);
static_assert(folding::foldable_of(nn::conv_transpose2d.id()) ==
              float_ops::foldable::conv_transpose);
static_assert(folding::foldable_of(nn::conv2d.id()) == float_ops::foldable::conv);

namespace {

node conv(op_id op) {
  node n{.name = "conv", .op = op};
  n.batch_norm = "bn";
  n.batch_norm_eps = 0.0625F;
  return n;
}

/// One over the deviation is 4 for both channels.
module_state state() {
  module_state m;
  m.set_tensor("conv.weight", float_ops::tensor{{2, 1, 1, 1}, {1.0F, 2.0F}});
  m.set_tensor("bn.weight", float_ops::tensor{{2}, {0.5F, 1.0F}});
  m.set_tensor("bn.bias", float_ops::tensor{{2}, {10.0F, 20.0F}});
  m.set_tensor("bn.running_mean", float_ops::tensor{{2}, {1.0F, -1.0F}});
  m.set_tensor("bn.running_var", float_ops::tensor{{2}, {0.0F, 0.0F}});
  return m;
}

std::vector<float> floats(std::vector<float_ops::named_value>& in, const char* name) {
  const float_ops::value* v = find(in, name);
  return v == nullptr ? std::vector<float>{} : v->get_if<float_ops::tensor>()->data;
}

}  // namespace

TEST_CASE("a batch norm goes into the weight, and makes a bias where there was none") {
  auto attributes = folded_attributes(conv(nni::conv_relu2d.id()), state());
  REQUIRE(attributes.has_value());
  CHECK(floats(*attributes, "weight") == std::vector<float>{2.0F, 8.0F});
  CHECK(floats(*attributes, "bias") == std::vector<float>{8.0F, 24.0F});
}

TEST_CASE("the eps of the batch norm itself goes before that of the node") {
  module_state m = state();
  m.set_option("bn", "eps", 0.25);
  auto attributes = folded_attributes(conv(nn::conv2d.id()), m);
  REQUIRE(attributes.has_value());
  CHECK(floats(*attributes, "weight") == std::vector<float>{1.0F, 4.0F});
}

TEST_CASE("a transposed convolution has its outputs on the second axis, group by group") {
  module_state m = state();
  m.set_tensor("conv.weight", float_ops::tensor{{2, 1, 1, 1}, {1.0F, 1.0F}});
  m.set_option("conv", "groups", 2);
  auto attributes = folded_attributes(conv(nn::conv_transpose2d.id()), m);
  REQUIRE(attributes.has_value());
  CHECK(floats(*attributes, "weight") == std::vector<float>{2.0F, 4.0F});
}

TEST_CASE("the groups of a transposed convolution may be an option of the node") {
  module_state m = state();
  m.set_tensor("conv.weight", float_ops::tensor{{2, 1, 1, 1}, {1.0F, 1.0F}});
  node n = conv(nn::conv_transpose2d.id());
  n.attrs = attributes{conv_transpose2d_options{.groups = 2}};
  auto attributes = folded_attributes(n, m);
  REQUIRE(attributes.has_value());
  CHECK(floats(*attributes, "weight") == std::vector<float>{2.0F, 4.0F});
}

TEST_CASE("a batch norm that is trained stays apart, as part 1") {
  auto attributes = folded_attributes(conv(nni::conv_bn2d.id()), state());
  REQUIRE(attributes.has_value());
  CHECK(floats(*attributes, "weight") == std::vector<float>{1.0F, 2.0F});
  CHECK(floats(*attributes, "1.running_mean") == std::vector<float>{1.0F, -1.0F});
}

TEST_CASE("what does not fit is an error with the name of the module") {
  module_state m = state();
  m.set_tensor("bn.running_var", float_ops::tensor{{1}, {1.0F}});
  const auto channels = folded_attributes(conv(nn::conv2d.id()), m);
  REQUIRE_FALSE(channels.has_value());
  CHECK(channels.error().message() ==
        "conv.batch norm: has another number of channels than the weight");
  CHECK_FALSE(folded_attributes(conv(nn::conv2d.id()), module_state{}).has_value());
  std::vector<float_ops::named_value> weight{{"weight", float_ops::filled({2, 1, 1, 1})}};
  CHECK(fold_batch_norm(weight, {}, 1e-5, nn::conv2d.id()).error().message() ==
        "batch norm: has no running_mean and running_var");
}
