// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/passes/explain/explanation_text.hpp"

// An explanation as a table for terminals.

namespace ctq {

namespace explaining {

/// The widths of the columns.
struct columns {
  std::size_t node = 22;
  std::size_t as = 24;
  std::size_t gives = 8;
};

/// Pads a cell of `used` characters to its column.
template <class Text>
constexpr void end_cell(Text& out, std::size_t used, std::size_t width) {
  for (std::size_t i = used; i < width; ++i) out.append(" ");
  out.append(" ");
}

/// The op that runs for a node, or the node of which it is a part.
struct runs_as {
  constexpr explicit runs_as(const explained_node& n)
      : before(n.is_read && n.runs_in != n.name ? "in " : ""),
        word(!n.is_read            ? "-"
             : n.runs_in != n.name ? n.runs_in
                                   : short_name(n.runs_as)) {}
  [[nodiscard]] constexpr std::size_t size() const { return before.size() + word.size(); }

  std::string_view before, word;
};

/// Wide enough for the longest name.
constexpr columns columns_of(const explained_model& m) {
  columns wide;
  for (const explained_node& n : m.nodes) {
    if (!is_call(n.op)) continue;
    const std::size_t as = runs_as(n).size();
    wide.node = n.name.size() > wide.node ? n.name.size() : wide.node;
    wide.as = as > wide.as ? as : wide.as;
  }
  return wide;
}

template <class Text>
constexpr void text_row(Text& out, const explained_node& n, const backend_view& backend,
                        const columns& wide) {
  const runs_as as(n);
  const std::string_view gives = n.is_read ? name_of(n.gives) : "-";
  append_all(out, n.name);
  end_cell(out, n.name.size(), wide.node);
  append_all(out, as.before, as.word);
  end_cell(out, as.size(), wide.as);
  out.append(gives);
  end_cell(out, gives.size(), wide.gives);
  reason(out, n, backend);
  out.append("\n");
  if (!tells_each(n)) return;
  for (const rejection& r : n.rejected) {
    append_all(out, "  not dtype_config #", r.dtype_config, ": ");
    clause(out, r, n, backend);
    out.append("\n");
  }
}

}  // namespace explaining

/// Appends one row per node: the op that runs, its output dtype, and the reason; then the observers
/// and the values that share them; then the qconfigs that nodes have.
template <class Text>
constexpr void append_text(Text& out, const explained_model& m) {
  const explaining::columns wide = explaining::columns_of(m);
  out.append("node");
  explaining::end_cell(out, 4, wide.node);
  out.append("runs as");
  explaining::end_cell(out, 7, wide.as);
  out.append("dtype");
  explaining::end_cell(out, 5, wide.gives);
  out.append("reason\n");
  for (const explained_node& n : m.nodes)
    if (is_call(n.op)) explaining::text_row(out, n, m.backend, wide);
  for (std::size_t i = 0; i < m.observers.size(); ++i) {
    const explained_observer& o = m.observers[i];
    if (o.record == nullptr) continue;
    append_all(out, "qparams #", i, ": ");
    append_observer(out, *o.record);
    out.append(" of ");
    explaining::values(out, o);
    out.append("\n");
  }
  for (int i = 0; i < m.mapping.count; ++i) {
    if (!is_used(m, i)) continue;
    append_all(out, "qconfig #", i, " (");
    append_place(out, m.mapping.entries[i]);
    out.append("): ");
    append_qconfig(out, m.mapping.entries[i]);
    out.append("\n");
  }
}

}  // namespace ctq
