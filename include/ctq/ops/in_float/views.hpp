// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/views.hpp"

// Views that PyTorch's backends leave in float.

// clang-format off
#define CTQ_FLOAT_VIEWS(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, t, no_options, t) \
  OP(nn, module_op, unflatten, "torch.nn.Unflatten", unflatten_options, unflatten) \
  CTQ_FUNCTION_AND_METHOD(OP, unflatten, unflatten_options, unflatten) \
  OP(fn, function_op, reshape, "torch.reshape", reshape_options, reshape) \
  CTQ_FUNCTION_AND_METHOD(OP, split, split_options, split) \
  CTQ_FUNCTION_AND_METHOD(OP, unbind, unbind_options, unbind) \
  OP(method, method_op, dim, "dim", no_options, none) \
  OP(method, method_op, flatten, "flatten", flatten_options, method_flatten) \
  OP(method, method_op, expand, "expand", reshape_options, expand) \
  OP(method, binary_method, expand_as, "expand_as", no_options, none) \
  OP(method, binary_method, reshape_as, "reshape_as", no_options, none) \
  OP(method, binary_method, view_as, "view_as", no_options, none)
// clang-format on

CTQ_FLOAT_VIEWS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr op_descriptor view_in_float(op_descriptor d) {
  d.is_view = false;
  d.on_integers = on_integers::none;
  return d;
}

inline constexpr op_descriptor reshape =
    view_in_float(view_by(&reshape_shape_rule, flatten.schedule));
inline constexpr op_descriptor method_flatten{.infer_shape = &flatten_shape_rule<flatten_options>,
                                              .schedule = flatten.schedule};
inline constexpr op_descriptor t =
    view_in_float(view_by(&t_shape_rule, strided_by(&matrix_transposed)));
inline constexpr op_descriptor unflatten =
    view_in_float(view_by(&unflatten_shape_rule, flatten.schedule));
inline constexpr op_descriptor expand =
    view_in_float(view_by(&expand_shape_rule, strided_by(&expanded)));
/// Parts of an axis, tuples.
inline constexpr op_descriptor split{.gives_list = true,
                                     .infer_shape = &split_shape_rule,
                                     .tuple_item = &split_item,
                                     .schedule = strided_by(&uncut)};
inline constexpr op_descriptor unbind{
    .gives_list = true, .infer_shape = &unbind_shape_rule, .schedule = strided_by(&unbound)};

}  // namespace ctq::descriptors

CTQ_FLOAT_VIEWS(CTQ_DESCRIBE_OP)
