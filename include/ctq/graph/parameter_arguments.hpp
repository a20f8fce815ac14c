// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/graph.hpp"

// The parameters of a function are its arguments: F.linear(x, weight, bias). Kernels read those of
// layers packed, as they read the parameters of modules, so in plans they have to be parameters or
// buffers of the model, nn::get_attr, perhaps observed or quantized.

namespace ctq {

namespace parameter_arguments {

/// What an observer or the passes put between a parameter and a function.
[[nodiscard]] constexpr bool passes_on(op_id op) {
  return op->kind == op_kind::pass && op->descriptor->weight_position == 0;
}

}  // namespace parameter_arguments

/// The get_attr that is argument `a` of node i, or -1 if that is computed, or not there.
[[nodiscard]] constexpr int parameter_of(const node* nodes, const int* args, int i, int a) {
  if (a >= nodes[i].arg_count) return -1;
  int from = args[nodes[i].first_arg + a];
  while (parameter_arguments::passes_on(nodes[from].op) && nodes[from].arg_count == 1)
    from = args[nodes[from].first_arg];
  return nodes[from].op->kind == op_kind::get_attr ? from : -1;
}

/// Whether only functions read the value of node i, and all of them as their parameter.
[[nodiscard]] constexpr bool is_only_parameter(const node* nodes, const int* args, int count,
                                               int i) {
  for (int reader = i + 1; reader < count; ++reader)
    for (int a = 0; a < nodes[reader].arg_count; ++a) {
      if (args[nodes[reader].first_arg + a] != i) continue;
      const op_id op = nodes[reader].op;
      const bool is_parameter = op->descriptor->weight_position > 0 && a > 0;
      const bool passed =
          parameter_arguments::passes_on(op) && is_only_parameter(nodes, args, count, reader);
      if (!is_parameter && !passed) return false;
    }
  return true;
}

}  // namespace ctq
