// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/ops/define_ops.hpp"

// Means and sums along axes.

namespace ctq {

struct reduction_options {
  ctq::shape dim{};      // axes, negative from the end; none: all of them
  flag keepdim = false;  // a reduced axis stays, with an extent of 1
};

}  // namespace ctq

// clang-format off
#define CTQ_REDUCTIONS(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, mean, reduction_options, mean) \
  CTQ_FUNCTION_AND_METHOD(OP, sum, reduction_options, sum)
// clang-format on

CTQ_REDUCTIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr shape reduction_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  const shape& x = in[0];
  auto o = a.as<reduction_options>();
  if (o.dim.rank == 0)
    for (int axis = 0; axis < x.rank; ++axis) o.dim[o.dim.rank++] = axis;
  bool goes[max_rank]{};
  for (int i = 0; i < o.dim.rank; ++i) {
    if (!shape_rules::settle_axis(d, "dim", o.dim[i], x.rank)) return {};
    if (goes[o.dim[i]]) {
      shape_rules::complain(d, "dim names axis ", o.dim[i], " twice");
      return {};
    }
    goes[o.dim[i]] = true;
  }
  shape out;
  for (int axis = 0; axis < x.rank; ++axis)
    if (!goes[axis] || o.keepdim) out[out.rank++] = goes[axis] ? 1 : x[axis];
  a = attributes{o};
  return out;
}

/// The reduction of a tensor that is in this order in memory.
[[nodiscard]] constexpr reduction_shape reduction_in(reduction_rule rule, attributes a, shape in,
                                                     layout order) {
  const auto o = a.as<reduction_options>();
  reduction_shape s{.rule = rule};
  for (int place = 0; place < in.rank; ++place) {
    const int axis = axis_in_memory(place, in.rank, order);
    s.in[s.in.rank++] = in[axis];
    for (int i = 0; i < o.dim.rank; ++i)
      if (o.dim[i] == axis) s.axes |= 1 << place;
  }
  return s;
}
template <reduction_rule Rule>
constexpr kernel_signature::sizes reduction_sizes(attributes a, shape in, shape) {
  return to_block<kernel_signature::sizes>(reduction_in(Rule, a, in, layout::nchw));
}

/// Reduces the elements along the axes to one.
template <reduction_rule Rule>
constexpr op_descriptor reduction(ctq::on_integers on_integers) {
  return {.infer_shape = &reduction_shape_rule,
          .on_integers = on_integers,
          .gives_any_scale = Rule == reduction_rule::mean || Rule == reduction_rule::sum,
          .schedule = {.how = schedule_as::reduction,
                       .kernel = kernel::reduction,
                       .layout = kernel_layout::nchw,
                       .sizes = &reduction_sizes<Rule>}};
}
inline constexpr op_descriptor mean = reduction<reduction_rule::mean>(on_integers::input_scale);
inline constexpr op_descriptor sum = keeping_integers(
    reduction<reduction_rule::sum>(on_integers::own_scale), integers_if::all_are_or_masks);

}  // namespace ctq::descriptors

CTQ_REDUCTIONS(CTQ_DESCRIBE_OP)
