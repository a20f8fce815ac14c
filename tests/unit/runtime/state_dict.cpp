// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/state_dict.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace ctq;

TEST_CASE("tensors are found by name, in any order of adding") {
  state_dict d;
  d.set("fc.weight", {2, 2}, std::vector<std::int8_t>{1, -2, 3, -4});
  d.set("a.bias", {2}, std::vector<float>{0.5F, 1.5F});
  d.set("none", {0}, std::vector<float>{});
  const auto weight = d.integers("fc.weight", {{2, 2}});
  REQUIRE(weight);
  CHECK((*weight)[3] == -4);
  const auto bias = d.floats("a.bias", {{2}});
  REQUIRE(bias);
  CHECK((*bias)[1] == 1.5F);
  const auto none = d.floats("none", {{0}});
  REQUIRE(none);
  CHECK(none->empty());
  REQUIRE(d.tensors().size() == 3);
  CHECK(d.tensors()[0].name == "a.bias");
  CHECK(d.tensors()[0].dtype() == f32);
  CHECK(d.tensors()[1].dtype() == qint8);
}

TEST_CASE("a tensor that is set again is replaced") {
  state_dict d;
  d.set("bias", {1}, std::vector<float>{1.0F});
  d.set("bias", {1}, std::vector<float>{2.0F});
  CHECK(d.tensors().size() == 1);
  CHECK((*d.floats("bias", {{1}}))[0] == 2.0F);
}

TEST_CASE("a tensor that is not as the plan needs it is an error with its name") {
  state_dict d;
  d.set("w", {2, 1}, std::vector<std::int8_t>{1, 2});
  d.set("b", {1}, std::vector<float>{std::numeric_limits<float>::infinity()});
  CHECK(d.floats("c", {{1}}).error().message() == "tensor c: is missing");
  CHECK(d.floats("w", {{2, 1}}).error().message() ==
        "tensor w: has qint8 elements, the plan needs float32");
  CHECK(d.integers("b", {{1}}).error().message() ==
        "tensor b: has float32 elements, the plan needs qint8");
  CHECK(d.integers("w", {{1, 2}}).error().message() ==
        "tensor w: shape is [2, 1], the plan needs [1, 2]");
  CHECK(d.floats("b", {{1}}).error().message() == "tensor b: a value is infinite");
  CHECK(d.operand("b", {{1}})->front() == std::numeric_limits<float>::infinity());
  d.set("b", {1}, std::vector<float>{std::numeric_limits<float>::quiet_NaN()});
  CHECK(d.operand("b", {{1}}).error().message() == "tensor b: a value is NaN");
}

TEST_CASE("the scales of a weight are positive and finite") {
  state_dict d;
  constexpr float inf = std::numeric_limits<float>::infinity();
  d.set("s", {2}, std::vector<float>{0.5F, 0x1p118F});
  CHECK(d.scales("s", {{2}})->back() == 0x1p118F);
  CHECK(d.scales("s", {{1}}).error().message() == "tensor s: shape is [2], the plan needs [1]");
  d.set("s", {2}, std::vector<float>{0.5F, 0.0F});
  CHECK(d.scales("s", {{2}}).error().message() == "tensor s: the scale 0 is not positive");
  d.set("s", {2}, std::vector<float>{inf, 0.5F});
  CHECK(d.scales("s", {{2}}).error().message().starts_with("tensor s: the scale inf is too large"));
}

TEST_CASE("a tensor of other elements is an error only if the plan needs it") {
  state_dict d;
  d.set({.name = "w", .shape = {1}, .floats = nullptr, .integers = nullptr, .other = "I64"});
  CHECK(d.tensors()[0].dtype() == dtype::none);
  CHECK(d.integers("w", {{1}}).error().message() ==
        "tensor w: has I64 elements, the plan needs qint8, I8 in a file");
}

TEST_CASE("copies share the elements") {
  state_dict d;
  d.set("w", {1}, std::vector<float>{1.0F});
  const state_dict copy = d;
  CHECK(copy.tensors()[0].floats == d.tensors()[0].floats);
}
