// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/fx_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ctq/json/document.hpp"

using namespace ctq;

TEST_CASE("each option fills its list of the graph") {
  constexpr std::string_view text =
      R"({"standalone_module_name": ["\u0061"], "standalone_module_class": ["my.A", "nn.LSTM"],
          "non_traceable_module_name": ["b", "c"], "non_traceable_module_class": ["my.A"],
          "preserved_attributes": ["tag"]})";
  const json::document d = json::parse(text.data(), text.size());
  fx_graph graph;
  json::element where;
  for (const auto [key, value] : d.root(text.data()).members())
    CHECK(fx_reading::add_exporter_option(graph, ops<builtin>::value, key, value, where).empty());
  const prepare_custom_config c = graph.custom();
  REQUIRE(c.standalone.size() == 3);
  CHECK(c.standalone[0].name == "a");
  CHECK(c.standalone[1].type == c.non_traceable_module_classes[0]);
  CHECK(c.standalone[2].type == nn::lstm.id());
  CHECK(c.non_traceable_module_names.size() == 2);
  CHECK(c.preserved_attributes[0] == "tag");
}
