// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/custom_config/draft.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

TEST_CASE("linked records view the lists, standalone modules those inside of them") {
  json::custom_config_draft d;
  d.standalone = list<json::standalone_draft>(2);
  d.root.standalone = {0, 1};
  d.standalone[0] = {.name = "a", .mapping = 0, .backend = 1, .custom = {.standalone = {1, 1}}};
  d.standalone[1] = {.name = "b", .custom = {.input_quantized_indexes = {0, 2}}};
  d.indexes = list<int>(2, 5);
  d.mappings.push_back({0, 1});
  d.entries.push_back({.level = mapping_level::global});
  const backend_view backends[] = {{.name = "first"}, {.name = "second"}};
  json::custom_config_lists lists{
      {}, {}, {}, d.indexes, d.entries, list<mapping_view>(1), list<standalone_module>(2)};
  json::link(d, {backends, 2}, lists);
  const prepare_custom_config c = json::linked(d.root, lists);
  REQUIRE(c.standalone.size() == 1);
  CHECK(c.standalone[0].backend == &backends[1]);
  REQUIRE(c.standalone[0].mapping != nullptr);
  CHECK(c.standalone[0].mapping->entries == lists.entries.data());
  REQUIRE(c.standalone[0].custom.standalone.size() == 1);
  const standalone_module& inside = c.standalone[0].custom.standalone[0];
  CHECK(inside.name == "b");
  CHECK(inside.mapping == nullptr);
  CHECK(inside.backend == nullptr);
  CHECK(inside.custom.input_quantized_indexes.size() == 2);
  CHECK(inside.custom.input_quantized_indexes[1] == 5);
}

}  // namespace
