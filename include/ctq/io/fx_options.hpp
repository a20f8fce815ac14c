// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "ctq/io/fx_graph.hpp"
#include "ctq/io/fx_values.hpp"
#include "ctq/io/message.hpp"
#include "ctq/json/element.hpp"
#include "ctq/ops/op_table.hpp"

// The options of tools/export_fx.py about modules and attributes: members of the object that has
// the rows. Each is a list of names.

namespace ctq::fx_reading {

/// Adds the names to the graph. Returns what is wrong, at `where`; empty: nothing.
///   ops  the ops that names of classes can refer to besides user-defined ones
[[nodiscard]] inline std::string add_exporter_option(fx_graph& graph, const op_table& ops,
                                                     json::element key, json::element value,
                                                     json::element& where) {
  enum {
    standalone_name,
    standalone_class,
    non_traceable_name,
    non_traceable_class,
    preserved,
    count
  };
  constexpr std::string_view keys[count] = {"standalone_module_name", "standalone_module_class",
                                            "non_traceable_module_name",
                                            "non_traceable_module_class", "preserved_attributes"};
  int k = 0;
  while (k < count && !key.is(keys[k])) ++k;
  where = key;
  if (k == count) return shown(unescaped(key)) + " is not a known key";
  where = value;
  if (value.type() != json::kind::array) return std::string(keys[k]) + " is not a list";
  for (const json::element e : value.elements()) {
    where = e;
    if (e.type() != json::kind::string || e.text().empty())
      return std::string(keys[k]) + " has an element that is not a name";
    const std::string_view name = graph.keep(unescaped(e));
    switch (k) {
      case standalone_name: graph.add_standalone({.name = name}); break;
      case standalone_class:
        graph.add_standalone({.type = graph.op(op_kind::module, name, ops)});
        break;
      case non_traceable_name: graph.add_non_traceable(name); break;
      case non_traceable_class:
        graph.add_non_traceable(graph.op(op_kind::module, name, ops));
        break;
      default: graph.add_preserved(name);
    }
  }
  return {};
}

}  // namespace ctq::fx_reading
