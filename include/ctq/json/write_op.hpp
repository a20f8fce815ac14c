// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/json/write.hpp"
#include "ctq/ops/op.hpp"

// Ops as JSON: their names, and the declarations of user-defined ones, as op_declarations.hpp reads
// them.

namespace ctq::json {

/// The name of an op; only names of user-defined ops may need escapes.
template <class Text>
constexpr void write_op(writer<Text>& out, op_id op) {
  if (op->builtin) {
    out.plain({}, op->name);
  } else {
    out.value(op->name);
  }
}

/// [{"name": "my.swish", "kind": "function"}]
/// Requires  modules, functions and methods
template <class Text, class Ops>
constexpr void write_declarations(writer<Text>& out, const Ops& own) {
  constexpr std::string_view kinds[] = {"", "", "", "module", "function", "method", ""};
  out.array([&] {
    for (const op_id op : own)
      out.object([&] {
        out.plain_key("name").value(op->name);
        out.plain_key("kind").plain({}, kinds[static_cast<std::size_t>(op->kind)]);
      });
  });
}

}  // namespace ctq::json
