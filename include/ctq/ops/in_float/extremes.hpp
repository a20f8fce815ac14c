// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/reductions.hpp"

// Extremes along axes, and their indices, which no backend of PyTorch quantizes.

// clang-format off
#define CTQ_EXTREMES(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, amax, reduction_options, amax) \
  CTQ_FUNCTION_AND_METHOD(OP, amin, reduction_options, amin) \
  CTQ_FUNCTION_AND_METHOD(OP, argmax, reduction_options, argmax) \
  CTQ_FUNCTION_AND_METHOD(OP, argmin, reduction_options, argmin) \
  CTQ_FUNCTION_AND_METHOD(OP, max, reduction_options, max) \
  CTQ_FUNCTION_AND_METHOD(OP, min, reduction_options, min)
// clang-format on

CTQ_EXTREMES(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// The shape of the indices along one axis, or along all of them.
constexpr shape argmax_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (a.as<reduction_options>().dim.rank <= 1) return reduction_shape_rule(in, a, d);
  shape_rules::complain(d, "dim is one axis, or none for all");
  return {};
}

inline constexpr op_descriptor amax =
    keeping_integers(reduction<reduction_rule::max>(on_integers::input_scale));
inline constexpr op_descriptor amin =
    keeping_integers(reduction<reduction_rule::min>(on_integers::input_scale));

/// The indices of the elements that amax and amin return.
template <reduction_rule Rule>
constexpr op_descriptor index_of_extreme() {
  return {.infer_shape = &argmax_shape_rule,
          .returns_indices = true,
          .schedule = {.how = schedule_as::reduction,
                       .kernel = kernel::argmax,
                       .layout = kernel_layout::nchw,
                       .sizes = &reduction_sizes<Rule>}};
}
inline constexpr op_descriptor argmax = index_of_extreme<reduction_rule::max>();
inline constexpr op_descriptor argmin = index_of_extreme<reduction_rule::min>();

constexpr shape extreme_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (a.as<reduction_options>().dim.rank == 1) return reduction_shape_rule(in, a, d);
  shape_rules::complain(d, "dim is one axis; amax and amin have\nthe extremes of all");
  return {};
}
/// Values and indices have one shape.
constexpr strided_view extreme_item(const attributes&, const strided_view& whole, int item) {
  return item < -2 || item > 1 ? strided_view{} : whole;
}
/// A tuple of the results of amax and argmax. Each tensor of it is computed where it is selected.
template <reduction_rule Rule>
constexpr op_descriptor value_and_index() {
  return {
      .returns_tuple = true,
      .infer_shape = &extreme_shape_rule,
      .tuple_item = &extreme_item,
      .returns_indices = true,
      .gives_integers = integers_if::all_are,
      .schedule = {
          .how = schedule_as::same, .kernel = kernel::reduction, .sizes = &reduction_sizes<Rule>}};
}
inline constexpr op_descriptor max = value_and_index<reduction_rule::max>();
inline constexpr op_descriptor min = value_and_index<reduction_rule::min>();

}  // namespace ctq::descriptors

CTQ_EXTREMES(CTQ_DESCRIBE_OP)
