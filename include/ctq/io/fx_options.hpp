// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

#include "ctq/io/fx_graph.hpp"
#include "ctq/io/message.hpp"
#include "ctq/json/element.hpp"
#include "ctq/ops/op_table.hpp"

// What tools/export_fx.py was told of modules and attributes: members of the object that has the
// rows. Each is a list of names. And how strings and numbers of a file are read.

namespace ctq::fx_reading {

/// The value of a string.
[[nodiscard]] inline std::string unescaped(json::element e) {
  std::string text;
  if (e.has_escapes())
    json::append_unescaped(text, e.text());
  else
    text = e.text();
  return text;
}

/// Python's integers have neither point nor exponent; one that does not fit becomes a float.
inline void set_number(json::element e, argument& a) {
  const std::string_view digits = e.text();
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), a.integer);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  a.is = whole ? argument::kind::integer : argument::kind::real;
  if (!whole) a.integer = 0;
  a.real = e.number();
}

/// Adds the names to the graph. Returns what is wrong, at `where`; empty: nothing.
///   ops  that names of classes can mean besides user-defined ones
[[nodiscard]] inline std::string add_exporter_option(fx_graph& graph, const op_table& ops,
                                                     json::element key, json::element value,
                                                     json::element& where) {
  constexpr std::string_view keys[] = {"standalone_module_name", "standalone_module_class",
                                       "non_traceable_module_name", "non_traceable_module_class",
                                       "preserved_attributes"};
  int k = 0;
  while (k < 5 && !key.is(keys[k])) ++k;
  where = key;
  if (k == 5) return shown(unescaped(key)) + " is not a known key";
  where = value;
  if (value.type() != json::kind::array) return std::string(keys[k]) + " is not a list";
  for (const json::element e : value.elements()) {
    where = e;
    if (e.type() != json::kind::string || e.text().empty())
      return std::string(keys[k]) + " has an element that is not a name";
    const std::string_view name = graph.keep(unescaped(e));
    switch (k) {
      case 0: graph.add_standalone({.name = name}); break;
      case 1: graph.add_standalone({.type = graph.op(op_kind::module, name, ops)}); break;
      case 2: graph.add_non_traceable(name); break;
      case 3: graph.add_non_traceable(graph.op(op_kind::module, name, ops)); break;
      default: graph.add_preserved(name);
    }
  }
  return {};
}

}  // namespace ctq::fx_reading
