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

/// The first field of a node that differs in another graph; empty if all is the same.
inline std::string difference(const ctq::node& a, const ctq::node& b) {
  if (a.name != b.name || a.number != b.number) return "name";
  if (a.op != b.op) return "op";
  if (a.attrs != b.attrs) return "attrs";
  if (a.shape != b.shape || a.dtype != b.dtype) return "shape or dtype";
  if (a.batch_norm != b.batch_norm || a.batch_norm_eps != b.batch_norm_eps) return "batch_norm";
  const ctq::choice& c = a.choice;
  const ctq::choice& d = b.choice;
  if (c.qconfig != d.qconfig) return "qconfig";
  if (c.pattern != d.pattern || c.dtype_config != d.dtype_config) return "dtype_config";
  if (c.observed != d.observed) return "observed";
  if (c.why.why != d.why.why || c.why.of != d.why.of || c.why.asked != d.why.asked ||
      c.why.allowed != d.why.allowed || c.why.dtype_config != d.why.dtype_config)
    return "rejection";
  if (a.observer != b.observer) return "observer";
  if (a.observer_config != b.observer_config || a.weight != b.weight) return "record";
  return a.row == b.row ? "" : "row";
}

template <ctq::stage Stage>
std::string difference(ctq::graph_view<Stage> a, ctq::graph_view<Stage> b) {
  if (a.size() != b.size()) return "another number of nodes";
  if (a.observers != b.observers) return "another number of observers";
  for (int i = 0; i < a.size(); ++i) {
    const std::string field = difference(a[i], b[i]);
    if (!field.empty()) return name_at(a, i) + ": " + field;
    if (a.args_of(i).size() != b.args_of(i).size()) return name_at(a, i) + ": arguments";
    for (int k = 0; k < a.args_of(i).size(); ++k)
      if (a.args_of(i)[k] != b.args_of(i)[k]) return name_at(a, i) + ": arguments";
  }
  return "";
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
