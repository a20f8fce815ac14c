// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/fuser_table.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

TEST_CASE("every fuser method has a name of its own") {
  std::set<std::string> names;
  for (const ctq::fuser_id f : ctq::fuser_table) names.emplace(f->name);
  CHECK(names.size() == std::size(ctq::fuser_table));
  CHECK(names.count("fuse_conv_bn_relu") == 1);
}
