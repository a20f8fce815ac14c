// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ctq/core/containers/view.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/activations.hpp"
#include "ctq/evaluate/float_ops/arguments.hpp"
#include "ctq/evaluate/float_ops/arithmetic.hpp"
#include "ctq/evaluate/float_ops/concatenations.hpp"
#include "ctq/evaluate/float_ops/convolution_ops.hpp"
#include "ctq/evaluate/float_ops/embeddings.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/fused.hpp"
#include "ctq/evaluate/float_ops/getitem.hpp"
#include "ctq/evaluate/float_ops/linear.hpp"
#include "ctq/evaluate/float_ops/norms.hpp"
#include "ctq/evaluate/float_ops/operands.hpp"
#include "ctq/evaluate/float_ops/pad.hpp"
#include "ctq/evaluate/float_ops/pools.hpp"
#include "ctq/evaluate/float_ops/recurrent.hpp"
#include "ctq/evaluate/float_ops/reductions.hpp"
#include "ctq/evaluate/float_ops/repeats.hpp"
#include "ctq/evaluate/float_ops/resize.hpp"
#include "ctq/evaluate/float_ops/tensor_functions.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/float_ops/views.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/ops/op_table.hpp"

// Evaluates one op:
//
//   const auto y = float_ops::call(fn::conv2d.id(), {.positional = {x, weight, bias, 1, 1}});
//   const auto z = float_ops::call(nn::conv2d.id(), {.positional = {x},
//                                                .attributes = {{"padding", 1}, {"weight", w}}});

namespace ctq::float_ops {

namespace implementation {

template <std::size_t N>
constexpr view<float_op> view_of(const float_op (&table)[N]) {
  return {table, static_cast<int>(N)};
}

inline constexpr view<float_op> tables[] = {
    view_of(convolutions),
    view_of(products),
    view_of(activations),
    view_of(arithmetics),
    view_of(pools),
    view_of(norms),
    view_of(pads),
    view_of(concatenations),
    view_of(views),
    view_of(repeats),
    view_of(reductions),
    view_of(resizes),
    view_of(embeddings),
    view_of(recurrents),
    view_of(fused_sums),
    view_of(selections),
    view_of(tensor_functions),
};
inline constexpr float_op by_elements{{}, "input, ...", elementwise};
inline constexpr float_op by_tensors{{}, "input, ...", by_shape_rule};
inline constexpr float_op by_parts{{}, "input", sequence};

constexpr const float_op* of(op_id op) {
  if (!op->builtin || op->kind < op_kind::module || op->kind > op_kind::method) return nullptr;
  for (const view<float_op>& table : tables)
    for (const float_op& f : table)
      if (is_named(op->name, f.names)) return &f;
  const op_functions& functions = op->descriptor->functions;
  if (functions.tensors == 1) return functions.elementwise ? &by_elements : &by_tensors;
  return fusing::fused_form(op) != nullptr ? &by_parts : nullptr;
}

/// The same at run time, from a sorted list, since the search by name takes as long as a small op.
/// A template, since compiling all ops takes eight seconds: all translation units of a program but
/// one may declare
///
///   extern template const ctq::float_ops::float_op*
///   ctq::float_ops::implementation::at_run_time<>(ctq::op_id);
template <class = void>
[[nodiscard]] const float_op* at_run_time(op_id op) {
  using entry = std::pair<op_id, const float_op*>;
  static const auto all = [] {
    std::array<entry, naming::builtin_count> list{};
    std::ranges::transform(naming::builtin_ops, list.begin(), [](op_id o) {
      return entry{o, of(o)};
    });
    std::ranges::sort(list, std::less<op_id>{}, &entry::first);
    return list;
  }();
  const auto found = std::ranges::lower_bound(all, op, std::less<op_id>{}, &entry::first);
  return found != all.end() && found->first == op ? found->second : of(op);
}

}  // namespace implementation

/// The float implementation of the op; null if ctq has none.
[[nodiscard]] constexpr const float_op* float_op_of(op_id op) {
  return std::is_constant_evaluated() ? implementation::of(op) : implementation::at_run_time(op);
}

[[nodiscard]] constexpr bool has_float_op(op_id op) { return float_op_of(op) != nullptr; }

/// Whether the op moves or repeats elements, so that it can be called on a byte_tensor.
[[nodiscard]] inline bool moves_elements(op_id op) {
  const schedule_as how = op->descriptor->schedule.how;
  const bool moves =
      how == schedule_as::view || how == schedule_as::strided || how == schedule_as::copied;
  const float_op* const f = moves ? float_op_of(op) : nullptr;
  const auto is_in = [f](view<float_op> table) {
    return std::less_equal<>{}(table.begin(), f) && std::less<>{}(f, table.end());
  };
  return f != nullptr && (is_in(implementation::view_of(implementation::views)) ||
                          is_in(implementation::view_of(implementation::repeats)));
}

/// The op's parameters; none if it has no float implementation.
[[nodiscard]] constexpr python_signature signature_of(op_id op) {
  const float_op* const f = float_op_of(op);
  return f == nullptr ? python_signature{} : signature_of(*f, op);
}

/// Whether the number of elements of a tensor matches its shape.
[[nodiscard]] inline bool is_whole(const value& v) {
  const auto whole = [](const auto& t) {
    for (const int e : t.shape)
      if (e < 0) return false;
    return numel(t.shape) == t.data.size();
  };
  if (const auto* t = v.get_if<tensor>()) return whole(*t);
  if (const auto* t = v.get_if<index_tensor>()) return whole(*t);
  if (const auto* t = v.get_if<byte_tensor>()) return whole(*t);
  if (const auto* items = v.get_if<list>())
    for (const value& item : *items)
      if (!is_whole(item)) return false;
  return true;
}

/// Whether an op returns integers because of its arguments. (Masks that were computed from floats
/// are floats here.)
[[nodiscard]] inline bool gives_integers(op_id op, const arguments& given) {
  if (!keeps_integers(*op->descriptor)) return false;
  const integers_if inputs = gives_integers_if(*op->descriptor);
  int tensors = 0;
  bool any = false;
  for (const named_value& a : given) {
    const double* const number = a.given.get_if<double>();
    if (number != nullptr && !is_integer(static_cast<float>(*number))) return false;
    if (!a.given.is<tensor>() && !a.given.is<index_tensor>()) continue;
    if (!decides(inputs, tensors++)) continue;
    if (a.given.is<tensor>()) return false;
    any = true;
  }
  return any;
}

/// Converts floats that are integers, or those in a tuple of values and indices, to integers.
[[nodiscard]] inline value as_integers(value computed) {
  if (const auto* const floats = computed.get_if<tensor>()) {
    for (const float x : floats->data)
      if (!is_integer(x) || std::fabs(x) > 0x1p24F) return computed;
    return value(*as_indices(*floats));
  }
  const auto* const items = computed.get_if<list>();
  if (items == nullptr || items->empty()) return computed;
  list all = *items;
  all[0] = as_integers(all[0]);
  return value(std::move(all));
}

inline constexpr const char* no_float_op =
    "has no float implementation; give evaluation_options::implementation, or write the op with "
    "others";

/// Evaluates the op with bound arguments; `layers` computes its layers.
///
/// Errors  an op without float implementation, a missing argument, one of the wrong type,
///         mismatched shapes; the place is the op's name
[[nodiscard]] inline result<value> call(op_id op, const arguments& given,
                                        const layer_functions& layers) {
  const float_op* const f = float_op_of(op);
  if (f == nullptr) return fail(std::string(op->name), no_float_op);
  for (const named_value& a : given)
    if (!is_whole(a.given))
      return fail(std::string(op->name), a.name + " has a shape that does not match its data");
  operands from(op, signature_of(*f, op), given, call, layers);
  result<value> computed = f->run(from);
  if (computed && gives_integers(op, given)) return as_integers(*std::move(computed));
  return computed;
}
[[nodiscard]] inline result<value> call(op_id op, const arguments& given) {
  return call(op, given, {});
}

/// The same for unbound arguments.
[[nodiscard]] inline result<value> call(op_id op, python_call c,
                                        const layer_functions& layers = {}) {
  if (!has_float_op(op)) return fail(std::string(op->name), no_float_op);
  auto bound = float_ops::bind(op->name, signature_of(op), std::move(c));
  if (!bound) return unexpected{bound.error()};
  return call(op, *bound, layers);
}

}  // namespace ctq::float_ops
