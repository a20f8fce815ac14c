// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/lstm/sequences.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace ctq;
using namespace ctq::lstm_parts;
using float_ops::extents;
using float_ops::tensor;

namespace {

const tensor floats{{3, 2, 1}, {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F}};

quantized_tensor integers(extents shape, const std::vector<std::int32_t>& q, double scale = 0.5,
                          std::int32_t zero_point = 10) {
  return {{quint8, -1, {scale}, {zero_point}, {}}, std::move(shape), q};
}

std::vector<float> floats_of(const node_value& v) { return v.real().get_if<tensor>()->data; }

}  // namespace

TEST_CASE("the extents of floats and of integers; a tuple has none") {
  CHECK(extents_of(floats) == extents{3, 2, 1});
  CHECK(extents_of(integers({2, 2}, {1, 2, 3, 4})) == extents{2, 2});
  CHECK(extents_of(std::vector<node_value>{floats}).empty());
  CHECK(extents_of(float_ops::value(7)).empty());
}

TEST_CASE("an element of the outermost axis keeps its qparams") {
  const node_value second = element(floats, 1);
  CHECK(extents_of(second) == extents{2, 1});
  CHECK(floats_of(second) == std::vector<float>{2.0F, 3.0F});
  const node_value last = element(integers({3, 2}, {1, 2, 3, 4, 5, 6}), 2);
  REQUIRE(last.integers() != nullptr);
  CHECK(last.integers()->shape() == extents{2});
  CHECK(last.integers()->int_repr() == std::vector<std::int32_t>{5, 6});
  CHECK(last.integers()->qparams.zero_point[0] == 10);
}

TEST_CASE("steps and batch change places") {
  const node_value batch_first = swapped(floats);
  CHECK(extents_of(batch_first) == extents{2, 3, 1});
  CHECK(floats_of(batch_first) == std::vector<float>{0.0F, 2.0F, 4.0F, 1.0F, 3.0F, 5.0F});
  const node_value q = swapped(integers({2, 2, 1}, {1, 2, 3, 4}));
  CHECK(q.integers()->int_repr() == std::vector<std::int32_t>{1, 3, 2, 4});
}

TEST_CASE("joined integers have the qparams of the first, others are requantized") {
  const auto same = joined({integers({1, 2}, {1, 2}), integers({1, 2}, {3, 255})}, 1);
  REQUIRE(same.has_value());
  CHECK(same->integers()->int_repr() == std::vector<std::int32_t>{1, 2, 3, 255});
  // (q - 10) / 2 against (q - 20) / 4: 255 is 58.75, which is 127.5 steps, and ties are even.
  const auto other = joined({integers({1, 2}, {1, 2}), integers({1, 2}, {24, 255}, 0.25, 20)}, 0);
  REQUIRE(other.has_value());
  CHECK(other->integers()->qparams.scale[0] == 0.5);
  CHECK(other->integers()->shape() == extents{2, 2});
  CHECK(other->integers()->int_repr() == std::vector<std::int32_t>{1, 2, 12, 128});
}

TEST_CASE("joined floats, and parts that do not fit") {
  const auto joined_floats = joined({element(floats, 2), element(floats, 0)}, 1);
  REQUIRE(joined_floats.has_value());
  CHECK(floats_of(*joined_floats) == std::vector<float>{4.0F, 0.0F, 5.0F, 1.0F});
  const auto wrong = joined({floats, element(floats, 0)}, 0);
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().cause == "the tensors have different axes");
  const auto shorter = joined({integers({1, 2}, {1, 2}), integers({1, 1}, {1})}, 0);
  REQUIRE_FALSE(shorter.has_value());
  CHECK(shorter.error().cause == "the tensors have different extents");
}

TEST_CASE("stacked along a new outermost axis") {
  const auto all = stacked({element(floats, 1), element(floats, 2)});
  REQUIRE(all.has_value());
  CHECK(extents_of(*all) == extents{2, 2, 1});
  CHECK(floats_of(*all) == std::vector<float>{2.0F, 3.0F, 4.0F, 5.0F});
}
