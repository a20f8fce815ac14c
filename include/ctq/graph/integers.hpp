// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/node.hpp"
#include "ctq/ops/op.hpp"

// Which nodes read integers, and which return them: nodes of int64. Neither are quantized. The
// result of an op is integers if all its inputs are, as in PyTorch; steps compute it in float.

namespace ctq {

/// Which inputs of the op decide whether it gives integers.
[[nodiscard]] constexpr integers_if gives_integers_if(const op_descriptor& d) {
  switch (d.schedule.how) {
    case schedule_as::view:
    case schedule_as::strided:
    case schedule_as::copied:
    case schedule_as::concat: return integers_if::all_are;
    default: return d.is_view ? integers_if::all_are : d.gives_integers;
  }
}

/// Whether an input is one of those that decide, for an op that may give integers.
[[nodiscard]] constexpr bool decides(integers_if which, int input) {
  if (which == integers_if::first_is) return input == 0;
  return which != integers_if::all_but_first_are || input > 0;
}

/// Whether the op gives integers if the inputs that decide are integers.
[[nodiscard]] constexpr bool keeps_integers(const op_descriptor& d) {
  const integers_if inputs = gives_integers_if(d);
  return inputs != integers_if::never && inputs != integers_if::never_but_a_mask;
}

/// Whether the op computes with integers, as if they were floats: all ops that PyTorch defines for
/// integers, and a few more.
[[nodiscard]] constexpr bool reads_integers(const op_descriptor& d) {
  const bool has_matrices = d.schedule.how == schedule_as::recurrent ||
                            d.schedule.how == schedule_as::attention ||
                            d.schedule.how == schedule_as::layer;
  return d.weights == op_weights::none && d.weight_position == 0 && d.pool_axes == 0 &&
         !d.is_bitwise && !has_matrices;
}

/// The element type of a node's output as the steps of a schedule read it: steps compute with
/// integers in float.
[[nodiscard]] constexpr dtype element_type(dtype of_node) {
  return is_index(of_node) ? f32 : of_node;
}

/// Whether a node may read the integers of another one; the output of a model takes only those that
/// are computed, not an input.
[[nodiscard]] constexpr bool takes_integers(const node& reader, const node& from) {
  if (reader.op->kind == op_kind::output) return from.op->kind != op_kind::placeholder;
  return reads_integers(*reader.op->descriptor);
}

/// What a tensor holds: floats, a mask of 0 and 1, which PyTorch has as bool, or integers.
enum class number_kind : unsigned char { real, mask, integer };

/// What the output of a node holds.
///   input(a)  what input a holds
template <class Input>
[[nodiscard]] constexpr number_kind kind_of_result(const node& n, Input input) {
  const op_descriptor& d = *n.op->descriptor;
  const integers_if inputs = gives_integers_if(d);
  if (inputs == integers_if::never_but_a_mask) return number_kind::mask;
  if (inputs == integers_if::never || n.arg_count == 0) return number_kind::real;
  const bool has_number = d.schedule.with_number != nullptr && n.arg_count == 1;
  if (has_number && !is_integer(n.attrs.template as<scalar_operand>().value))
    return number_kind::real;
  if (d.has_integer_options != nullptr && !d.has_integer_options(n.attrs)) return number_kind::real;
  bool all_masks = true;
  for (int a = 0; a < n.arg_count; ++a) {
    if (!decides(inputs, a)) continue;
    const number_kind holds = input(a);
    if (holds == number_kind::real) return number_kind::real;
    all_masks = all_masks && holds == number_kind::mask;
  }
  if (!all_masks || inputs == integers_if::all_are_or_masks) return number_kind::integer;
  return d.is_arithmetic || has_number ? number_kind::real : number_kind::mask;
}

/// What the inputs of a node hold, by number: computed from the nodes before it.
struct kinds_read {
  const node* nodes;
  const int* args;
  int first;  // where those of the node begin

  [[nodiscard]] constexpr number_kind operator()(int a) const {
    const node& n = nodes[args[first + a]];
    if (is_index(n.dtype)) return number_kind::integer;
    return kind_of_result(n, kinds_read{nodes, args, n.first_arg});
  }
};

/// Whether node i gives integers because of what it reads.
[[nodiscard]] constexpr bool gives_integers(const node* nodes, const int* args, int i) {
  return kind_of_result(nodes[i], kinds_read{nodes, args, nodes[i].first_arg}) ==
         number_kind::integer;
}

/// Whether node i reads integers, other than to look them up, or gives them: it is not quantized.
template <class Nodes, class Args>
[[nodiscard]] constexpr bool computes_with_integers(const Nodes& nodes, const Args& args, int i) {
  const node& n = nodes[i];
  for (int a = n.op->descriptor->index_inputs; a < n.arg_count; ++a)
    if (is_index(nodes[args[n.first_arg + a]].dtype)) return true;
  return is_index(n.dtype);
}

}  // namespace ctq
