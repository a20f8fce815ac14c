// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/name_index.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

static_assert([] {
  ctq::name_index names{2};
  names.add("a", 0);
  names.add("b", 1);
  names.add("a", 2);  // the first counts
  return names.find("a") == 0 && names.find("b") == 1 && names.find("") == -1;
}());
static_assert(ctq::name_index{0}.find("a") == -1);

TEST_CASE("each name is found as find() finds it") {
  ctq::dynamic_graph<ctq::stage::traced> g;
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("node" + std::to_string(i % 900));
  for (const std::string& name : names)
    g.add({.name = name, .op = ctq::nn::relu.id()}, ctq::list<int>{});
  const ctq::name_index index{g.view()};
  for (const std::string& name : names) CHECK(index.find(name) == find(g.view(), name));
  CHECK(index.find("node900") == -1);
}
