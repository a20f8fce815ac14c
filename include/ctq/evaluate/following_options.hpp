// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_call.hpp"
#include "ctq/graph/node.hpp"

// The options of the op that follows a layer in one node. Those of a traced module are in the state
// of the modules, those of a function are its arguments, and a model in C++ has them in the node.

namespace ctq {

/// The options of the op that follows the layer of a node; empty if none follows.
[[nodiscard]] inline std::vector<float_ops::named_value> following_attributes(
    const node& n, const module_state& modules) {
  const op_id op = n.op->descriptor->schedule.then;
  std::vector<float_ops::named_value> all;
  if (op == nullptr) return all;
  if (n.row == nullptr) {
    calling::append_options({.op = op, .attrs = following_options(n.attrs)}, all);
    return all;
  }
  if (n.then_row == nullptr) {  // traced as one module, which has them by the number of the part
    for (float_ops::named_value& own : modules.attributes_of(path_of(n)))
      if (own.name.starts_with("1.")) all.push_back({own.name.substr(2), std::move(own.given)});
    return all;
  }
  if (!n.then_row->target.empty()) return modules.attributes_of(n.then_row->target);
  float_ops::python_call call =
      call_of({.op = op, .row = n.then_row}, std::vector<float_ops::value>(1));
  const view<option_field>& fields = options_of(op).fields;
  for (std::size_t p = 1; p < call.positional.size(); ++p)
    all.push_back(
        {std::string(fields[static_cast<int>(p) - 1].name), std::move(call.positional[p])});
  for (float_ops::named_value& a : call.keywords)
    if (a.name != "input") all.push_back(std::move(a));
  return all;
}

/// The same, as attributes of the fused module, of which the op is the second part.
inline void append_following(const node& n, const module_state& modules,
                             std::vector<float_ops::named_value>& to) {
  for (float_ops::named_value& a : following_attributes(n, modules))
    to.push_back({"1." + a.name, std::move(a.given)});
}

}  // namespace ctq
