// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/named_tensors.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

struct named {
  std::string name;
  int value;
};

}  // namespace

TEST_CASE("elements are sorted by name, equal names stay in order") {
  std::vector<named> all{{"conv10", 0}, {"b", 1}, {"conv1", 2}, {"b", 3}, {"", 4}};
  CHECK(ctq::order_by_name(std::span<const named>(all)) == std::vector<std::size_t>{4, 1, 3, 2, 0});
  ctq::sort_by_name(all);
  std::vector<int> values;
  for (const named& n : all) values.push_back(n.value);
  CHECK(values == std::vector<int>{4, 1, 3, 2, 0});
}

TEST_CASE("a repeated name is found") {
  CHECK(ctq::repeated_name(std::vector<named>{}) == nullptr);
  CHECK(ctq::repeated_name(std::vector<named>{{"a", 0}, {"b", 1}}) == nullptr);
  const std::vector<named> twice{{"a", 0}, {"b", 1}, {"b", 2}, {"c", 3}};
  CHECK(ctq::repeated_name(twice) == &twice[2]);
}
