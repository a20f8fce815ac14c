// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/views.hpp"

// Views that PyTorch's backends leave in float.

namespace ctq {

/// One element of an axis, which is removed.
struct select_options {
  int dim{};
  int index{};  // negative: from the end
};

}  // namespace ctq

// clang-format off
#define CTQ_FLOAT_VIEWS(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, t, no_options, t) \
  OP(nn, module_op, unflatten, "torch.nn.Unflatten", unflatten_options, unflatten) \
  CTQ_FUNCTION_AND_METHOD(OP, unflatten, unflatten_options, unflatten) \
  OP(fn, function_op, reshape, "torch.reshape", reshape_options, reshape) \
  CTQ_FUNCTION_AND_METHOD(OP, split, split_options, split) \
  CTQ_FUNCTION_AND_METHOD(OP, unbind, unbind_options, unbind) \
  CTQ_FUNCTION_AND_METHOD(OP, select, select_options, select) \
  OP(method, method_op, narrow, "narrow", narrow_options, narrow_method) \
  CTQ_FUNCTION_AND_METHOD(OP, swapaxes, transpose_options, swapaxes) \
  OP(method, method_op, dim, "dim", no_options, none) \
  OP(method, method_op, flatten, "flatten", flatten_options, method_flatten) \
  OP(method, method_op, expand, "expand", reshape_options, expand) \
  OP(method, binary_method, expand_as, "expand_as", no_options, none) \
  OP(method, binary_method, reshape_as, "reshape_as", no_options, none) \
  OP(method, binary_method, view_as, "view_as", no_options, none)
// clang-format on

CTQ_FLOAT_VIEWS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// Copies the elements of a view contiguously.
template <op_schedule::view_function View, class Isa>
[[gnu::noinline]] void copy_view(const op_arguments<float>& x, const attributes& a) noexcept {
  const strided_view v = View(a, contiguous_view(x.in[0].shape, layout::nchw));
  for (std::size_t i = 0; i < x.out.size(); ++i) {
    int rest = static_cast<int>(i), from = v.offset;
    for (int axis = v.shape.rank; axis-- > 0; rest /= v.shape[axis])
      from += rest % v.shape[axis] * v.stride[axis];
    x.out[i] = x.in[0][static_cast<std::size_t>(from)];
  }
}

}  // namespace functions

/// Functions of a view, which evaluators call.
template <op_schedule::view_function View>
inline constexpr op_functions copying{.tensors = 1,
                                      .apply = &functions::copy_view<View, isa::native>};

constexpr shape select_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<select_options>();
  if (!shape_rules::settle_axis(d, "dim", o.dim, in[0].rank)) return {};
  const int extent = in[0][o.dim];
  if (o.index < -extent || o.index >= extent)
    return shape_rules::wrong_input(d, in[0], "index ", o.index, " is outside dim ", o.dim);
  if (o.index < 0) o.index += extent;
  a = attributes{o};
  return without_axis({.shape = in[0]}, o.dim).shape;
}
constexpr strided_view selected(attributes a, strided_view in) {
  const auto o = a.as<select_options>();
  in.offset += o.index * in.stride[o.dim];
  return without_axis(in, o.dim);
}

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
inline constexpr op_descriptor swapaxes{.infer_shape = &transpose_shape_rule,
                                        .schedule = transpose.schedule};
inline constexpr op_descriptor narrow_method =
    view_in_float(view_by(&narrow_shape_rule, strided_by(&narrowed)));
inline constexpr op_descriptor select{.infer_shape = &select_shape_rule,
                                      .functions = copying<&selected>,
                                      .schedule = strided_by(&selected)};
/// Parts of an axis, as a tuple.
inline constexpr op_descriptor split{.returns_tuple = true,
                                     .infer_shape = &split_shape_rule,
                                     .tuple_item = &split_item,
                                     .schedule = strided_by(&uncut)};
inline constexpr op_descriptor unbind{
    .returns_tuple = true, .infer_shape = &unbind_shape_rule, .schedule = strided_by(&unbound)};

}  // namespace ctq::descriptors

CTQ_FLOAT_VIEWS(CTQ_DESCRIBE_OP)
