// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/dot.hpp"

#include <doctest/doctest.h>

#include "explain_model.hpp"

using namespace explain_model;

TEST_CASE("the picture has boxes by where they run, frames around fused nodes, qparams on edges") {
  const std::string t =
      printed([](std::string& out, const explained_model& m) { append_dot(out, m); });
  CHECK(t.starts_with("digraph model {\n"));
  CHECK(t.ends_with("}\n"));
  CHECK(t.find("\"pool\" [label=\"pool: MaxPool2d\"") != std::string::npos);
  CHECK(t.find("fillcolor=palegreen") != std::string::npos);
  CHECK(has_line(t, "subgraph cluster_0 { style=dashed; \"conv\"; \"relu\"; }"));
  CHECK(has_line(t, "\"conv\" -> \"relu\";"));
  CHECK(has_line(t, "\"relu\" -> \"pool\" [label=\"#1\"];"));
  CHECK(has_line(t, "\"fc\" -> \"head\";"));
}
