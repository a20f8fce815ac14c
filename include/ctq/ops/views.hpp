// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/view_rules.hpp"

// Views and parts of the input, and ops that return it unchanged.

namespace ctq {

struct dropout_options {
  float p = 0.5F;        // of training alone: the probability that an element becomes zero
  flag inplace = false;  // without effect
};

/// torch.flatten's defaults; nn.Flatten starts at 1.
struct flatten_options {
  int start_dim = 0;
  int end_dim = -1;
};

struct nn_flatten_options {
  int start_dim = 1;
  int end_dim = -1;
};

}  // namespace ctq

// clang-format off
#define CTQ_VIEWS(OP) \
  OP(nn, module_op, flatten, "torch.nn.Flatten", nn_flatten_options, module_flatten) \
  OP(nn, module_op, identity, "torch.nn.Identity", no_options, identity) \
  CTQ_MODULE_AND_FUNCTION(OP, dropout, "Dropout", dropout_options, dropout) \
  OP(fn, function_op, flatten, "torch.flatten", flatten_options, flatten) \
  OP(fn, function_op, narrow, "torch.narrow", narrow_options, narrow) \
  OP(fn, function_op, permute, "torch.permute", permute_options, permute) \
  OP(fn, function_op, permute_copy, "torch.permute_copy", permute_options, permute_copy) \
  CTQ_FUNCTION_AND_METHOD(OP, squeeze, squeeze_options, squeeze) \
  OP(fn, function_op, transpose, "torch.transpose", transpose_options, transpose) \
  OP(fn, function_op, unsqueeze, "torch.unsqueeze", unsqueeze_options, unsqueeze) \
  OP(method, method_op, detach_, "detach_", no_options, detach_in_place) \
  OP(method, method_op, shape, "shape", no_options, shape_method) \
  OP(method, method_op, squeeze_, "squeeze_", squeeze_options, squeeze_in_place) \
  CTQ_FUNCTION_AND_METHOD(OP, chunk, chunk_options, chunk) \
  OP(fn, function_op, getattr, "builtins.getattr", no_options, attribute) \
  OP(op, function_op, getitem, "_operator.getitem", getitem_options, getitem) \
  OP(method, method_op, contiguous, "contiguous", no_options, unchanged) \
  OP(method, method_op, detach, "detach", no_options, unchanged) \
  OP(method, method_op, permute, "permute", permute_options, method_permute) \
  OP(method, method_op, reshape, "reshape", reshape_options, method_reshape) \
  OP(method, method_op, transpose, "transpose", transpose_options, method_transpose) \
  OP(method, method_op, view, "view", reshape_options, method_reshape) \
  OP(method, method_op, resize_, "resize_", reshape_options, resize_in_place) \
  OP(method, method_op, size, "size", no_options, size_method) \
  OP(method, method_op, unsqueeze, "unsqueeze", unsqueeze_options, method_unsqueeze) \
  OP(method, method_op, unsqueeze_, "unsqueeze_", unsqueeze_options, unsqueeze_in_place) \
  CTQ_FUNCTION_AND_METHOD(OP, repeat_interleave, repeat_interleave_options, repeat_interleave) \
  OP(method, method_op, repeat, "repeat", repeat_options, repeat)
// clang-format on

CTQ_VIEWS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {
constexpr float identity(float x) noexcept { return x; }
}  // namespace functions

template <class Options>
constexpr shape flatten_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  const auto o = a.as<Options>();
  const int rank = in[0].rank;
  const int first = o.start_dim < 0 ? o.start_dim + rank : o.start_dim;
  const int last = o.end_dim < 0 ? o.end_dim + rank : o.end_dim;
  if (first < 0 || last >= rank || first > last) {
    shape_rules::complain(d, "start_dim ", o.start_dim, ", end_dim ", o.end_dim, " of ", rank,
                          " axes");
    return {};
  }
  shape out;
  for (int axis = 0; axis < rank; ++axis) {
    if (axis <= first || axis > last) {
      out[out.rank++] = in[0][axis];
    } else {
      out[out.rank - 1] *= in[0][axis];
    }
  }
  return out;
}

inline constexpr op_descriptor flatten{.infer_shape = &flatten_shape_rule<flatten_options>,
                                       .is_view = true,
                                       .on_integers = on_integers::input_scale,
                                       .gradient = gradient_rule::same,
                                       .schedule = {.how = schedule_as::view}};
inline constexpr op_descriptor module_flatten =
    since_2_1(by_rule(flatten, &flatten_shape_rule<nn_flatten_options>));

/// A view that PyTorch supports on integers.
constexpr op_descriptor view_by(op_descriptor::shape_rule rule, op_schedule schedule) {
  return {.infer_shape = rule,
          .is_view = true,
          .on_integers = on_integers::input_scale,
          .schedule = schedule};
}
/// A method whose sizes may be computed.
constexpr op_descriptor of_sizes(op_descriptor d, int end = all_arguments) {
  d.first_non_tensor = 1;
  d.end_non_tensors = end;
  return d;
}
constexpr op_schedule strided_by(op_schedule::view_function view) {
  return {.how = schedule_as::strided, .view = view};
}

inline constexpr op_descriptor method_reshape =
    of_sizes(view_by(&reshape_shape_rule, flatten.schedule));
inline constexpr op_descriptor squeeze = view_by(&squeeze_shape_rule, flatten.schedule);
inline constexpr op_descriptor unsqueeze = view_by(&unsqueeze_shape_rule, flatten.schedule);
inline constexpr op_descriptor method_unsqueeze = of_sizes(unsqueeze, 2);
inline constexpr op_descriptor permute =
    since_2_1(view_by(&permute_shape_rule, strided_by(&permuted)));
inline constexpr op_descriptor squeeze_in_place = in_place(squeeze);
inline constexpr op_descriptor unsqueeze_in_place = in_place(method_unsqueeze);
inline constexpr op_descriptor resize_in_place =
    in_place(view_by(&reshape_shape_rule, flatten.schedule));
inline constexpr op_descriptor method_permute =
    of_sizes(view_by(&permute_shape_rule, strided_by(&permuted)));
inline constexpr op_descriptor permute_copy = permute;
inline constexpr op_descriptor transpose = view_by(&transpose_shape_rule, strided_by(&transposed));
inline constexpr op_descriptor method_transpose = of_sizes(transpose);
inline constexpr op_descriptor narrow =
    since_2_1(view_by(&narrow_shape_rule, strided_by(&narrowed)));
inline constexpr op_descriptor getitem{.infer_shape = &getitem_shape_rule,
                                       .is_view = true,
                                       .keeps_memory_order = true,
                                       .schedule = strided_by(&indexed)};
/// Parts of an axis, as a tuple.
inline constexpr op_descriptor chunk{.returns_tuple = true,
                                     .infer_shape = &chunk_shape_rule,
                                     .tuple_item = &chunk_item,
                                     .keeps_memory_order = true,
                                     .schedule = strided_by(&uncut)};

inline constexpr op_descriptor repeat{.first_non_tensor = 1,
                                      .end_non_tensors = all_arguments,
                                      .infer_shape = &repeat_shape_rule,
                                      .on_integers = on_integers::input_scale,
                                      .schedule = {.how = schedule_as::copied, .view = &repeated}};
inline constexpr op_descriptor repeat_interleave{
    .infer_shape = &repeat_interleave_shape_rule,
    .on_integers = on_integers::input_scale,
    .schedule = {.how = schedule_as::copied, .view = &each_repeated}};

/// Methods that return the shape of a tensor, or a part of it.
inline constexpr op_descriptor shape_method{.is_view = true,
                                            .on_integers = on_integers::input_scale};
inline constexpr op_descriptor size_method{.first_non_tensor = 1,
                                           .end_non_tensors = 2,
                                           .is_view = true,
                                           .on_integers = on_integers::input_scale};

/// contiguous, detach: they do nothing, since values never change.
inline constexpr op_descriptor unchanged{.infer_shape = &same_shape,
                                         .is_view = true,
                                         .on_integers = on_integers::input_scale,
                                         .gradient = gradient_rule::same,
                                         .schedule = {.how = schedule_as::same}};
inline constexpr op_descriptor detach_in_place = in_place(unchanged);
inline constexpr op_descriptor identity{.infer_shape = &same_shape,
                                        .is_identity = true,
                                        .is_view = true,
                                        .keeps_memory_order = true,
                                        .on_integers = on_integers::input_scale,
                                        .gradient = gradient_rule::same,
                                        .schedule = {.how = schedule_as::same}};

/// In inference dropout does nothing.
inline constexpr op_descriptor dropout{.infer_shape = &same_shape,
                                       .functions = elementwise<functions::identity>,
                                       .is_identity = true,
                                       .is_view = true,
                                       .keeps_memory_order = true,
                                       .on_integers = on_integers::own_scale,
                                       .gives_any_scale = true,
                                       .gradient = gradient_rule::dropout,
                                       .schedule = {.how = schedule_as::function}};

inline constexpr op_descriptor attribute{.is_view = true};

}  // namespace ctq::descriptors

CTQ_VIEWS(CTQ_DESCRIBE_OP)
