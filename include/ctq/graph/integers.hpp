// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/node.hpp"

// Which nodes read integers, and which give them: nodes of int64, which are not quantized. Views,
// sums and products of integers are integers; steps compute them in float.

namespace ctq {

/// Whether the op gives integers if all that it reads are: views, and what says so.
[[nodiscard]] constexpr bool keeps_integers(const op_descriptor& d) {
  switch (d.schedule.how) {
    case schedule_as::view:
    case schedule_as::strided:
    case schedule_as::copied:
    case schedule_as::concat: return true;
    default: return d.is_view || d.keeps_integers;
  }
}

/// Whether the op computes with integers, as if they were floats: all that PyTorch defines for them
/// and some ops more.
[[nodiscard]] constexpr bool reads_integers(const op_descriptor& d) {
  const bool has_matrices = d.schedule.how == schedule_as::recurrent ||
                            d.schedule.how == schedule_as::attention ||
                            d.schedule.how == schedule_as::layer;
  return d.weights == op_weights::none && d.weight_position == 0 && d.pool_axes == 0 &&
         !has_matrices;
}

/// The elements of a node's output, as the steps of a schedule read them: those that compute with
/// integers do so in float.
[[nodiscard]] constexpr dtype element_type(const node& n) {
  return is_index(n.dtype) ? f32 : n.dtype;
}

/// Numbers from 2^23 on have no fraction.
[[nodiscard]] constexpr bool is_integer(float x) {
  if (x >= 0x1p23F || x <= -0x1p23F) return true;
  return x == x && x == static_cast<float>(static_cast<int>(x));
}

/// The output of a model takes computed integers alone.
[[nodiscard]] constexpr bool takes_integers(const node& reader, const node& from) {
  if (reader.op->kind == op_kind::output) return from.op->kind != op_kind::placeholder;
  return reads_integers(*reader.op->descriptor);
}

/// Whether node i gives integers, since all that it reads are, or are parameters.
template <class Nodes, class Args>
[[nodiscard]] constexpr bool gives_integers(const Nodes& nodes, const Args& args, int i) {
  const node& n = nodes[i];
  if (!keeps_integers(*n.op->descriptor)) return false;
  const bool has_number = n.op->descriptor->schedule.with_number != nullptr && n.arg_count == 1;
  if (has_number && !is_integer(n.attrs.template as<scalar_operand>().value)) return false;
  bool all = true, some = false;
  for (int a = 0; a < n.arg_count; ++a) {
    const node& from = nodes[args[n.first_arg + a]];
    some = some || is_index(from.dtype);
    all = all && (is_index(from.dtype) || from.op->kind == op_kind::get_attr);
  }
  return all && some;
}

}  // namespace ctq
