// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "ctq/graph/graph.hpp"

// What several tests of passes ask of graphs.

namespace graphs {

template <ctq::stage Stage>
std::string name_at(ctq::graph_view<Stage> g, int i) {
  std::string out;
  append_name(out, g[i]);
  return out;
}

/// All that a pass decides about a node.
inline void check_equal(const ctq::node& a, const ctq::node& b) {
  CHECK(a.name == b.name);
  CHECK(a.number == b.number);
  CHECK(a.op == b.op);
  CHECK(a.attrs == b.attrs);
  CHECK(a.shape == b.shape);
  CHECK(a.dtype == b.dtype);
  CHECK(a.batch_norm == b.batch_norm);
  CHECK(a.batch_norm_eps == b.batch_norm_eps);
  CHECK(a.choice.qconfig == b.choice.qconfig);
  CHECK(a.choice.pattern == b.choice.pattern);
  CHECK(a.choice.dtype_config == b.choice.dtype_config);
  CHECK(a.choice.why.why == b.choice.why.why);
  CHECK(a.observer == b.observer);
}

template <ctq::stage Stage>
void check_equal(ctq::graph_view<Stage> a, ctq::graph_view<Stage> b) {
  REQUIRE(a.size() == b.size());
  CHECK(a.observers == b.observers);
  for (int i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    check_equal(a[i], b[i]);
    REQUIRE(a.args_of(i).size() == b.args_of(i).size());
    for (int k = 0; k < a.args_of(i).size(); ++k) CHECK(a.args_of(i)[k] == b.args_of(i)[k]);
  }
}

/// One line a node: "conv1 = torch.nn.Conv2d(x) #0", the observer behind #.
template <ctq::stage Stage, class Text>
constexpr void append_graph(Text& out, ctq::graph_view<Stage> g) {
  for (int i = 0; i < g.size(); ++i) {
    append_name(out, g[i]);
    ctq::append_all(out, " = ", g[i].op->name, "(");
    for (int a = 0; a < g.args_of(i).size(); ++a) {
      if (a > 0) out.append(", ");
      append_name(out, g.arg(i, a));
    }
    out.append(")");
    if (g[i].observer >= 0) ctq::append_all(out, " #", g[i].observer);
    out.append("\n");
  }
}

template <ctq::stage Stage>
std::string print(ctq::graph_view<Stage> g) {
  std::string out;
  append_graph(out, g);
  return out;
}

}  // namespace graphs
