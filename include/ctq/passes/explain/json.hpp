// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/passes/explain/explanation_text.hpp"

// An explanation as JSON: for programs, and to compare two of them.

namespace ctq {

namespace explaining {

/// The value of a member.
using value_text = static_text<600>;

template <class Text>
constexpr void member(Text& out, std::string_view key, std::string_view value) {
  append_all(out, ", \"", key, "\": ");
  quoted(out, value);
}

template <class Text>
constexpr void json_numbers(Text& out, std::string_view key, const list<int>& numbers) {
  append_all(out, ", \"", key, "\": [");
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out.append(i > 0 ? ", " : "");
    numbers[i] < 0 ? void(out.append("null")) : append_number(out, numbers[i]);
  }
  out.append("]");
}

template <class Text>
constexpr void json_rejected(Text& out, const explained_node& n, const backend_view& backend) {
  out.append(", \"rejected\": [");
  for (std::size_t i = 0; i < n.rejected.size(); ++i) {
    value_text why;
    clause(why, n.rejected[i], n, backend);
    append_all(out, i > 0 ? ", " : "", "{\"dtype_config\": ", n.rejected[i].dtype_config);
    member(out, "reason", why.view());
    out.append("}");
  }
  out.append("]");
}

template <class Text>
constexpr void json_choice(Text& out, const explained_node& n, const backend_view& backend) {
  const choice& c = n.choice;
  if (c.qconfig >= 0) append_all(out, ", \"qconfig\": ", c.qconfig);
  if (c.pattern >= 0) {
    value_text pattern;
    append_pattern(pattern, backend.configs[c.pattern].pattern);
    member(out, "pattern", pattern.view());
    if (c.quantized()) {
      value_text dtypes;
      dtype_config(dtypes, backend.configs[c.pattern].dtype_configs[c.dtype_config]);
      append_all(out, ", \"dtype_config\": ", c.dtype_config);
      member(out, "dtypes", dtypes.view());
    }
    json_rejected(out, n, backend);
  }
  json_numbers(out, "input_observers", n.input_observers);
  if (n.observer >= 0) append_all(out, ", \"observer\": ", n.observer);
}

template <class Text>
constexpr void json_node(Text& out, const explained_node& n, const backend_view& backend) {
  out.append("{\"name\": ");
  quoted(out, n.name);
  member(out, "op", n.op->name);
  if (n.is_read) {
    member(out, "runs_in", n.runs_in);
    member(out, "kernel", n.runs_as->name);
    if (!n.fused_into.empty()) member(out, "fused_into", n.fused_into);
    member(out, "dtype", name_of(n.gives));
  }
  append_all(out, ", \"on_integers\": ", n.on_integers ? "true" : "false");
  value_text because;
  reason(because, n, backend);
  member(out, "reason", because.view());
  if (n.is_read && n.runs_in == n.name) json_choice(out, n, backend);
  out.append("}");
}

}  // namespace explaining

/// Appends {"backend": …, "nodes": […], "observers": […], "qconfigs": […]}, one line per element of
/// a list. Observers and qconfigs are referred to by their index.
template <class Text>
constexpr void append_json(Text& out, const explained_model& m) {
  using explaining::value_text;
  out.append("{\"backend\": ");
  explaining::quoted(out, m.backend.name);
  out.append(", \"nodes\": [");
  bool first = true;
  for (const explained_node& n : m.nodes) {
    if (!is_call(n.op)) continue;
    out.append(first ? "\n" : ",\n");
    first = false;
    explaining::json_node(out, n, m.backend);
  }
  out.append("],\n\"observers\": [");
  for (std::size_t i = 0; i < m.observers.size(); ++i) {
    const explained_observer& o = m.observers[i];
    value_text words;
    if (o.record != nullptr) append_observer(words, *o.record);
    out.append(i > 0 ? ",\n{\"observer\": " : "\n{\"observer\": ");
    explaining::quoted(out, words.view());
    out.append(", \"values\": [");
    for (std::size_t k = 0; k < o.values.size(); ++k) {
      out.append(k > 0 ? ", " : "");
      explaining::quoted(out, o.values[k]);
    }
    out.append("]}");
  }
  out.append("],\n\"qconfigs\": [");
  for (int i = 0; i < m.mapping.count; ++i) {
    value_text from;
    value_text what;
    append_place(from, m.mapping.entries[i]);
    append_qconfig(what, m.mapping.entries[i]);
    out.append(i > 0 ? ",\n{\"from\": " : "\n{\"from\": ");
    explaining::quoted(out, from.view());
    explaining::member(out, "qconfig", what.view());
    out.append("}");
  }
  out.append("]}\n");
}

}  // namespace ctq
