// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/dtype.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/graph/integers.hpp"

namespace ctq {

/// Reports what is missing to call the functions of the op at node i. Fused nodes have not been
/// checked by a shape rule, so their inputs are checked here.
template <class Graph>
constexpr void check_functions(const Graph& g, int i, diagnostic& problem) {
  const node& n = g.nodes[i];
  const op_functions& functions = n.op->descriptor->functions;
  const auto arg = [&](int a) -> const node& { return g.nodes[g.args[n.first_arg + a]]; };
  const auto complain = [&](const auto&... what) {
    problem.line("no kernel for node ", n.name, ":").line(n.op->name).line(what...);
  };
  if (!functions.problem.empty()) {
    complain(functions.problem);
  } else if (functions.apply == nullptr) {
    complain("has no float implementation: define");
    problem.line("static float apply(float)");
  } else if (is_quantized(n.dtype) && arg(0).dtype == n.dtype &&
             !functions.has_integer_form(n.dtype)) {
    complain("has no run on ", name_of(n.dtype), ", which a");
    problem.line("quantized custom module needs");
  } else if (n.arg_count != functions.tensors) {
    complain("takes ", functions.tensors, " inputs, not ", n.arg_count);
  } else if (n.arg_count == 2 && functions.elementwise && arg(0).shape != arg(1).shape) {
    complain("reads tensors of different shapes");
  }
  for (int a = 1; a < n.arg_count && !problem.any(); ++a)
    if (element_type(arg(a).dtype) != element_type(arg(0).dtype))
      complain("reads ", name_of(element_type(arg(0).dtype)), " and ",
               name_of(element_type(arg(a).dtype)));
}

}  // namespace ctq
