// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/graph/node.hpp"
#include "ctq/ops/activations.hpp"

// Which nodes read integers, and which give them: nodes of int64. Neither are quantized. Views,
// sums and products of integers are integers; steps compute them in float.

namespace ctq {

/// Whether the op gives integers if it reads nothing else: views do, and ops that say so.
[[nodiscard]] constexpr bool keeps_integers(const op_descriptor& d) {
  switch (d.schedule.how) {
    case schedule_as::view:
    case schedule_as::strided:
    case schedule_as::copied:
    case schedule_as::concat: return true;
    default: return d.is_view || d.keeps_integers;
  }
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

/// The elements of a node's output, as the steps of a schedule read them: those that compute with
/// integers do so in float.
[[nodiscard]] constexpr dtype element_type(dtype of_node) {
  return is_index(of_node) ? f32 : of_node;
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

/// Whether node i gives integers because it reads nothing else. Of an op that indexes, only the
/// type of the indexed tensor counts.
template <class Nodes, class Args>
[[nodiscard]] constexpr bool gives_integers(const Nodes& nodes, const Args& args, int i) {
  const node& n = nodes[i];
  const op_descriptor& d = *n.op->descriptor;
  if (!keeps_integers(d) || n.arg_count == 0) return false;
  const bool has_number = d.schedule.with_number != nullptr && n.arg_count == 1;
  if (has_number && !is_integer(n.attrs.template as<scalar_operand>().value)) return false;
  if (d.is_clamp) {
    const auto bounds = n.attrs.template as<clamp_options>();
    if (!is_integer(bounds.min) || !is_integer(bounds.max)) return false;
  }
  const bool takes_from_first = d.schedule.how == schedule_as::function && !d.functions.elementwise;
  const int deciding = takes_from_first ? 1 : n.arg_count;
  for (int a = 0; a < deciding; ++a)
    if (!is_index(nodes[args[n.first_arg + a]].dtype)) return false;
  return true;
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
