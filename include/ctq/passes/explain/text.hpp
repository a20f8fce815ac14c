// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/passes/explain/words.hpp"

// An explanation as a table to read in a terminal.

namespace ctq {

namespace explaining {

template <class Text>
constexpr void cell(Text& out, std::string_view text, std::size_t width) {
  out.append(text);
  for (std::size_t i = text.size(); i < width; ++i) out.append(" ");
  out.append(" ");
}

template <class Text>
constexpr void row(Text& out, std::string_view node, std::string_view as, std::string_view on) {
  cell(out, node, 22);
  cell(out, as, 24);
  cell(out, on, 8);
}

template <class Text>
constexpr void text_row(Text& out, const explained_node& n, const backend_view& backend) {
  if (!n.is_read) {
    row(out, n.name, "-", "-");
  } else if (n.runs_in != n.name) {
    static_text<64> as;
    append_all(as, "in ", n.runs_in);
    row(out, n.name, as.view(), name_of(n.gives));
  } else {
    row(out, n.name, short_name(n.runs_as), name_of(n.gives));
  }
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

/// Appends a row a node: what it runs as, what that gives, and the reason; then the observers and
/// the values that share them; then the qconfigs that
/// nodes have.
template <class Text>
constexpr void append_text(Text& out, const explained_model& m) {
  explaining::row(out, "node", "runs as", "gives");
  out.append("because\n");
  for (const explained_node& n : m.nodes)
    if (is_call(n.op)) explaining::text_row(out, n, m.backend);
  for (std::size_t i = 0; i < m.observers.size(); ++i) {
    const explained_observer& o = m.observers[i];
    if (o.record == nullptr) continue;
    append_all(out, "qparams #", i, ": ");
    explaining::observer(out, *o.record);
    out.append(" of ");
    explaining::values(out, o);
    out.append("\n");
  }
  for (int i = 0; i < m.mapping.count; ++i) {
    if (!is_used(m, i)) continue;
    append_all(out, "qconfig #", i, " (");
    explaining::mapping_place(out, m.mapping.entries[i]);
    out.append("): ");
    explaining::qconfig(out, m.mapping.entries[i]);
    out.append("\n");
  }
}

}  // namespace ctq
