// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/value.hpp"

#include <doctest/doctest.h>

using namespace ctq::float_ops;

TEST_CASE("a value is one of Python's and says which") {
  CHECK(value().is<none>());
  CHECK(*value(true).get_if<bool>());
  CHECK(*value(3).get_if<std::int64_t>() == 3);
  CHECK(*value(0.5F).get_if<double>() == 0.5);
  CHECK(*value("same").get_if<std::string>() == "same");
  CHECK(*value(list{1, 2}).get_if<list>()->at(1).get_if<std::int64_t>() == 2);
  CHECK_FALSE(value(3).is<bool>());
  CHECK_FALSE(value(true).is<std::int64_t>());
}

TEST_CASE("a copied value shares its tensor") {
  const value a = filled({2, 3}, 1.5F), b = a;
  CHECK(a.get_if<tensor>() == b.get_if<tensor>());
  CHECK(a.get_if<tensor>()->data == std::vector<float>(6, 1.5F));
}

TEST_CASE("a bool is an integer, an integer a real, text neither") {
  CHECK(as_integer(true) == 1);
  CHECK(as_real(2) == 2.0);
  CHECK_FALSE(as_integer(2.0).has_value());
  CHECK_FALSE(as_real("2").has_value());
}

TEST_CASE("floats are integers if they have no fraction and fit") {
  CHECK(as_indices({{2}, {-0x1p62F, 3}})->data == std::vector<std::int64_t>{-(1LL << 62), 3});
  CHECK_FALSE(as_indices({{1}, {0.5F}}).has_value());
  CHECK_FALSE(as_indices({{1}, {0x1p63F}}).has_value());
  CHECK_FALSE(as_indices({{1}, {__builtin_nanf("")}}).has_value());
  CHECK(as_floats({{1}, {16777217}}).data == std::vector<float>{16777216});
}

TEST_CASE("a scalar has one element, an empty axis none") {
  CHECK(numel({}) == 1);
  CHECK(numel({3, 0, 2}) == 0);
  CHECK(as_list({2, 3}).size() == 2);
}

TEST_CASE("tensors are the same if they are one, numbers if they are equal") {
  const value a = tensor{{1}, {1.0F}};
  const value copy = a;
  const value equal = tensor{{1}, {1.0F}};
  CHECK(a.is_same(copy));
  CHECK_FALSE(a.is_same(equal));
  CHECK(value(2).is_same(value(2)));
  CHECK_FALSE(value(2).is_same(value(2.0)));
  CHECK(value(none{}).is_same(value()));
  CHECK(value(slice{.start = 1}).is_same(value(slice{.start = 1})));
  CHECK(a.share<tensor>().get() == a.get_if<tensor>());
  CHECK(a.share<list>() == nullptr);
}
