// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/module_state.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

module_state block() {
  module_state m;
  m.set_option("block.conv", "stride", 2);
  m.set_option("block.conv", "bias", true);
  m.set_tensor("block.conv.weight", float_ops::tensor{{1}, {3.0F}});
  m.set_tensor("block.conv.bias", float_ops::tensor{{1}, {4.0F}});
  m.set_tensor("block.conv2.weight", float_ops::tensor{{1}, {5.0F}});
  return m;
}

}  // namespace

TEST_CASE("a tensor replaces the option of its name") {
  auto attributes = block().attributes_of("block.conv");
  CHECK(attributes.size() == 3);
  REQUIRE(find(attributes, "bias") != nullptr);
  CHECK(find(attributes, "bias")->is<float_ops::tensor>());
  CHECK(float_ops::as_integer(*find(attributes, "stride")) == 2);
  CHECK(find(attributes, "padding") == nullptr);
}

TEST_CASE("a module whose name begins alike is another one") {
  CHECK(block().attributes_of("block.con").empty());
  CHECK(block().attributes_of("block.conv2").size() == 1);
}

TEST_CASE("the state of a module inside has paths of its own") {
  const module_state inner = block().inside("block");
  CHECK(inner.attributes_of("conv").size() == 3);
  CHECK(inner.find("conv2.weight") != nullptr);
  CHECK(inner.find("block.conv2.weight") == nullptr);
}

TEST_CASE("options can be forgotten, tensors stay") {
  module_state m = block();
  m.clear_options("block.conv");
  m.clear_options("nothing");
  CHECK(m.attributes_of("block.conv").size() == 2);
}

TEST_CASE("each change has a revision of its own") {
  module_state m = block();
  const module_state same = m;
  CHECK(same.revision() == m.revision());
  CHECK(block().revision() != m.revision());
  m.set_tensor("block.conv.bias", float_ops::tensor{{1}, {4.0F}});
  const auto with_tensor = m.revision();
  CHECK(with_tensor != same.revision());
  m.set_option("block.conv", "stride", 1);
  const auto with_option = m.revision();
  CHECK(with_option != with_tensor);
  m.clear_options("block.conv");
  CHECK(m.revision() != with_option);
  CHECK(m.inside("block").revision() != m.revision());
}
