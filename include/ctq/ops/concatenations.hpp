// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/ops/broadcast.hpp"
#include "ctq/ops/define_ops.hpp"

// Concatenation of tensors, which are given as a list.

namespace ctq {

struct cat_options {
  int dim = 0;
};

}  // namespace ctq

// clang-format off
#define CTQ_CONCATENATIONS(OP) \
  OP(fn, list_op, cat, "torch.cat", cat_options, cat) \
  OP(fn, list_op, concat, "torch.concat", cat_options, concat) \
  OP(fn, list_op, concatenate, "torch.concatenate", cat_options, concat) \
  OP(fn, list_op, stack, "torch.stack", cat_options, stack)
// clang-format on

CTQ_CONCATENATIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr shape cat_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (in.count < 1) {
    complain(d, "takes 1 input or more");
    return {};
  }
  const int rank = in[0].rank;
  auto o = a.as<cat_options>();
  if (!settle_axis(d, "dim", o.dim, rank)) return {};
  a = attributes{o};
  shape out = in[0];
  for (int i = 1; i < in.count; ++i) {
    shape expected = in[0];
    expected[o.dim] = in[i].rank == rank ? in[i][o.dim] : 0;
    if (in[i] != expected) {
      complain(d, "input ", i, " differs from the first\noutside dim ", o.dim);
      show_input(d, in[0]);
      show_input(d, in[i]);
      return {};
    }
    if (!countable(std::int64_t{out[o.dim]} + in[i][o.dim])) {
      complain(d, "more than 2^31 - 1 elements\nalong dim ", o.dim);
      return {};
    }
    out[o.dim] += in[i][o.dim];
  }
  return out;
}

/// One input of a cat along dim: the axes before dim, in memory order, are rows.
///   out     logical shape of the result
///   extent  that of the input along dim
///   before  how much of dim earlier inputs fill
[[nodiscard]] constexpr concat_shape cat_sizes(shape out, layout order, int dim, int extent,
                                               int before) {
  int rows = 1;
  int inner = 1;
  bool outside = true;
  for (int k = 0; k < out.rank; ++k) {
    const int axis = axis_in_memory(k, out.rank, order);
    if (axis == dim) {
      outside = false;
    } else {
      (outside ? rows : inner) *= out[axis];
    }
  }
  return {rows, extent * inner, out[dim] * inner, before * inner};
}

/// Tensors of one shape, joined along a new axis.
constexpr shape stack_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  shape out = shape_rules::same_shapes(in, d);
  if (d.any()) return {};
  if (out.rank == static_cast<int>(max_rank))
    return shape_rules::wrong_input(d, out, "has more than ", static_cast<int>(max_rank), " axes");
  auto o = a.as<cat_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, out.rank + 1)) return {};
  a = attributes{o};
  for (int axis = out.rank++; axis > o.dim; --axis) out[axis] = out[axis - 1];
  out[o.dim] = in.count;
  return out;
}

inline constexpr op_descriptor cat{.takes_list = true,
                                   .infer_shape = &cat_shape_rule,
                                   .keeps_memory_order = true,
                                   .on_integers = on_integers::input_scale,
                                   .gradient = gradient_rule::concatenation,
                                   .schedule = {.how = schedule_as::concat}};
inline constexpr op_descriptor concat = since_2_1(cat);
inline constexpr op_descriptor stack{.takes_list = true,
                                     .infer_shape = &stack_shape_rule,
                                     .on_integers = on_integers::input_scale,
                                     .schedule = {.how = schedule_as::concat}};

}  // namespace ctq::descriptors

CTQ_CONCATENATIONS(CTQ_DESCRIBE_OP)
