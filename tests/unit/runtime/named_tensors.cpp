// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/named_tensors.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
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
  CHECK(ctq::order_by_name(ctq::span<const named>(all)) == std::vector<std::size_t>{4, 1, 3, 2, 0});
  ctq::sort_by_name(all);
  std::vector<int> values;
  for (const named& n : all) values.push_back(n.value);
  CHECK(values == std::vector<int>{4, 1, 3, 2, 0});
}

TEST_CASE("any number of indices is sorted, equal elements stay in order") {
  std::uint32_t random = 1;
  for (std::size_t count = 0; count < 70; ++count) {
    std::vector<std::uint32_t> keys(count);
    for (std::uint32_t& key : keys) key = (random = random * 1664525 + 1013904223) >> 28;
    const auto before = [&](std::size_t i, std::size_t j) { return keys[i] < keys[j]; };
    std::vector<std::size_t> expected(count);
    std::iota(expected.begin(), expected.end(), std::size_t{0});
    std::sort(expected.begin(), expected.end(), [&](std::size_t i, std::size_t j) {
      return keys[i] != keys[j] ? keys[i] < keys[j] : i < j;
    });
    CHECK(ctq::sorted_indices(count, before) == expected);
  }
}

TEST_CASE("a repeated name is found") {
  CHECK(ctq::repeated_name(std::vector<named>{}) == nullptr);
  CHECK(ctq::repeated_name(std::vector<named>{{"a", 0}, {"b", 1}}) == nullptr);
  const std::vector<named> twice{{"a", 0}, {"b", 1}, {"b", 2}, {"c", 3}};
  CHECK(ctq::repeated_name(twice) == &twice[2]);
}
