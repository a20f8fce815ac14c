// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/passes/explain/explanation_text.hpp"

// An explanation as Markdown: for a page, or a comment on a change.

namespace ctq {

namespace explaining {

/// Text in a cell of a table, where bars are escaped.
template <class Text>
struct cell_text {
  Text& out;

  constexpr cell_text& append(std::string_view text) {
    for (const char& c : text) {
      if (c == '|') out.append("\\");
      out.append(c == '\n' ? std::string_view{" "} : std::string_view{&c, 1});
    }
    return *this;
  }
};

template <class Text>
constexpr void markdown_row(Text& out, const explained_node& n, const backend_view& backend) {
  cell_text<Text> cell{out};
  out.append("| ");
  cell.append(n.name);
  out.append(" | ");
  if (!n.is_read)
    out.append("–");
  else if (n.runs_in != n.name)
    append_all(cell, "in ", n.runs_in);
  else
    cell.append(short_name(n.runs_as));
  append_all(out, " | ", n.is_read ? name_of(n.gives) : std::string_view{"–"}, " | ");
  reason(cell, n, backend);
  if (tells_each(n))
    for (const rejection& r : n.rejected) {
      append_all(out, "<br>not dtype_config #", r.dtype_config, ": ");
      clause(cell, r, n, backend);
    }
  out.append(" |\n");
}

}  // namespace explaining

/// Appends three tables: the nodes, the observers, the qconfigs that nodes have.
template <class Text>
constexpr void append_markdown(Text& out, const explained_model& m) {
  explaining::cell_text<Text> cell{out};
  out.append("| node | runs as | dtype | reason |\n|---|---|---|---|\n");
  for (const explained_node& n : m.nodes)
    if (is_call(n.op)) explaining::markdown_row(out, n, m.backend);
  out.append("\n| qparams | observer | of |\n|---|---|---|\n");
  for (std::size_t i = 0; i < m.observers.size(); ++i) {
    if (m.observers[i].record == nullptr) continue;
    append_all(out, "| #", i, " | ");
    append_observer(cell, *m.observers[i].record);
    out.append(" | ");
    explaining::values(cell, m.observers[i]);
    out.append(" |\n");
  }
  out.append("\n| qconfig | from | activation, weight |\n|---|---|---|\n");
  for (int i = 0; i < m.mapping.count; ++i) {
    if (!is_used(m, i)) continue;
    append_all(out, "| #", i, " | ");
    append_place(cell, m.mapping.entries[i]);
    out.append(" | ");
    append_qconfig(cell, m.mapping.entries[i]);
    out.append(" |\n");
  }
}

}  // namespace ctq
