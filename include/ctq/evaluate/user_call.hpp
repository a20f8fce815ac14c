// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/operands.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/ops/reflect.hpp"

// Evaluates a user op with the functions of its descriptor.

namespace ctq {

namespace user_calls {

[[nodiscard]] inline bool has_shape(const float_ops::tensor& t) {
  return t.shape.size() <= max_rank && float_ops::numel(t.shape) == t.data.size();
}

/// Requires  at most max_rank axes
[[nodiscard]] inline shape shape_of(const float_ops::extents& extents) {
  shape s;
  for (const int extent : extents) s[s.rank++] = extent;
  return s;
}

}  // namespace user_calls

/// Whether the op has functions that can be called.
[[nodiscard]] constexpr bool has_functions(op_id op) {
  return op->descriptor->functions.apply != nullptr && op->descriptor->infer_shape != nullptr;
}

/// The output of a user op.
/// Errors  another number of arguments, arguments that are not tensors, or of wrong shapes; a
///         missing tensor of the module
[[nodiscard]] inline result<node_value> user_call(const node& n,
                                                  const std::vector<float_ops::value>& reads,
                                                  std::vector<float_ops::named_value> given) {
  const op_descriptor& d = *n.op->descriptor;
  const auto wrong = [&n](const std::string& what) { return fail(std::string(n.op->name), what); };
  if (static_cast<int>(reads.size()) != d.functions.tensors)
    return wrong("takes " + std::to_string(d.functions.tensors) + " tensors");
  op_arguments<float> x;
  shape in[3];
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const auto* const t = reads[i].get_if<float_ops::tensor>();
    if (t == nullptr || !user_calls::has_shape(*t)) return wrong("requires tensors");
    in[i] = user_calls::shape_of(t->shape);
    x.in[i] = {t->data.data(), in[i]};
  }
  attributes options = n.attrs;
  if (n.row != nullptr) {
    // The options of a traced node are among the attributes of its module.
    float_ops::arguments bound;
    for (const float_ops::named_value& a : given) bound.set(a.name, a.given);
    const float_ops::layer_functions none;
    float_ops::operands from(n.op, {.options = &options_of(n.op)}, bound, nullptr, none);
    options = from.options();
    if (from.failed()) return from.failure();
  }
  diagnostic problem;
  const shape out = d.infer_shape({in, static_cast<int>(reads.size())}, options, problem);
  if (problem.any()) return wrong(std::string(problem.message()));
  const op_parameters parameters =
      d.parameters == nullptr ? op_parameters{} : d.parameters(options);
  for (int p = 0; p < parameters.count; ++p) {
    const op_parameter& wanted = parameters.item[p];
    const float_ops::value* const v = find(given, wanted.name);
    const auto* const t = v == nullptr ? nullptr : v->get_if<float_ops::tensor>();
    if (t == nullptr || !user_calls::has_shape(*t) ||
        user_calls::shape_of(t->shape) != wanted.shape)
      return wrong(std::string(wanted.name) +
                   " is not a tensor of the shape that parameters() declares");
    x.parameters.item[p] = {.shape = wanted.shape, .floats = t->data.data()};
  }
  float_ops::tensor y{float_ops::extents(out.extent, out.extent + out.rank),
                      std::vector<float>(numel(out))};
  const bool elementwise = d.functions.elementwise;
  const shape elements{static_cast<int>(numel(out))};
  if (elementwise)
    for (auto& t : x.in) t.shape = elements;
  x.out = {y.data.data(), elementwise ? elements : out};
  d.functions.apply(x, options);
  return node_value(std::move(y));
}

}  // namespace ctq
