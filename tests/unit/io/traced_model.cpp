// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/traced_model.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "ctq/backends/default_observers.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/io/read_fx.hpp"

using namespace ctq;

namespace {

constexpr std::string_view text = R"({"standalone_module_name": ["he\u0061d"],
  "preserved_attributes": ["tag"],
  "rows": [{"name": "x", "op": "placeholder", "target": "x"},
           {"name": "head", "op": "call_module", "target": "head", "args": [{"n": "x"}],
            "module": {"type": "my.Head"}},
           {"name": "output", "op": "output", "target": "output", "args": [{"n": "head"}]}],
  "modules": {"head": {"preserved_attributes": [], "rows": [
           {"name": "y", "op": "placeholder", "target": "y"},
           {"name": "fc", "op": "call_module", "target": "fc", "args": [{"n": "y"}],
            "module": {"type": "nn.Linear"}},
           {"name": "output", "op": "output", "target": "output", "args": [{"n": "fc"}]}]}}})";

TEST_CASE("a file with a standalone module is prepared as a whole") {
  const auto read = read_fx(text);
  REQUIRE_MESSAGE(read.has_value(), read.error().message());
  const fx_graph& graph = *read;
  REQUIRE(graph.modules().size() == 1);
  const traced_model traced = traced_model_of(graph);
  REQUIRE(traced.modules.size() == 1);
  CHECK(traced.modules[0].path == "head");
  using usual = qconfig<histogram_observer<>, per_channel_min_max_observer<>>;
  const nested_model m =
      prepare_model(traced, backend_v<x86>, mapping_v<qconfig_mapping<global<usual>>>,
                    {.custom = graph.custom()});
  CHECK(!problem_of(m, &nested_model::prepared).any());
  CHECK(m.attributes_prepared == std::vector<std::string_view>{"tag"});
  REQUIRE(m.modules.size() == 1);
  CHECK(m.prepared.observers == 0);              // nothing but the module, which has its own
  CHECK(m.modules[0]->prepared.observers == 2);  // before and after fc
}

}  // namespace
