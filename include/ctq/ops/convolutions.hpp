// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/ops/convolution_shapes.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/norms.hpp"

// Convolutions, fused with what follows them, trained, and on integers.

// clang-format off
/// Those along N axes.
///   options  the options of those that a model in C++ can call
#define CTQ_CONVOLUTIONS_OF(OP, N, options, transposed_options, of_function, of_transposed_function) \
  OP(nn, module_op, conv##N##d, "torch.nn.Conv" #N "d", options, conv##N##d) \
  OP(fn, weighted_function, conv##N##d, "torch.nn.functional.conv" #N "d", of_function, functional_conv##N##d) \
  OP(nni, module_op, conv_relu##N##d, "torch.ao.nn.intrinsic.ConvReLU" #N "d", options, conv_relu##N##d) \
  OP(nni, module_op, conv_bn##N##d, "torch.ao.nn.intrinsic.ConvBn" #N "d", options, conv_bn##N##d) \
  OP(nni, module_op, conv_bn_relu##N##d, "torch.ao.nn.intrinsic.ConvBnReLU" #N "d", options, conv_bn_relu##N##d) \
  OP(nnqat, module_op, conv##N##d, "torch.ao.nn.qat.Conv" #N "d", no_options, qat_conv##N##d) \
  OP(nniqat, module_op, conv_relu##N##d, "torch.ao.nn.intrinsic.qat.ConvReLU" #N "d", no_options, qat_conv_relu##N##d) \
  OP(nniqat, module_op, conv_bn##N##d, "torch.ao.nn.intrinsic.qat.ConvBn" #N "d", no_options, qat_conv##N##d) \
  OP(nniqat, module_op, conv_bn_relu##N##d, "torch.ao.nn.intrinsic.qat.ConvBnReLU" #N "d", no_options, qat_conv_relu##N##d) \
  OP(nnqr, module_op, conv##N##d, "torch.ao.nn.quantized.reference.Conv" #N "d", no_options, none) \
  OP(q, pass_op, conv##N##d, "torch.ao.nn.quantized.Conv" #N "d", options, q_conv##N##d) \
  OP(q, pass_op, conv_relu##N##d, "torch.ao.nn.intrinsic.quantized.ConvReLU" #N "d", options, q_conv_relu##N##d) \
  OP(q, pass_op, functional_conv##N##d, "torch.ops.quantized.conv" #N "d", of_function, q_functional_conv##N##d) \
  OP(q, pass_op, functional_conv##N##d_relu, "torch.ops.quantized.conv" #N "d_relu", of_function, q_functional_conv_relu##N##d) \
  OP(nn, module_op, conv_transpose##N##d, "torch.nn.ConvTranspose" #N "d", transposed_options, conv_transpose##N##d) \
  OP(fn, weighted_function, conv_transpose##N##d, "torch.nn.functional.conv_transpose" #N "d", of_transposed_function, functional_conv_transpose##N##d) \
  OP(nnqr, module_op, conv_transpose##N##d, "torch.ao.nn.quantized.reference.ConvTranspose" #N "d", no_options, none)

#define CTQ_CONVOLUTIONS(OP) \
  CTQ_CONVOLUTIONS_OF(OP, 1, conv2d_options, conv_transpose2d_options, functional_conv2d_options, functional_conv_transpose2d_options) \
  CTQ_CONVOLUTIONS_OF(OP, 2, conv2d_options, conv_transpose2d_options, functional_conv2d_options, functional_conv_transpose2d_options) \
  CTQ_CONVOLUTIONS_OF(OP, 3, conv3d_options, conv_transpose3d_options, functional_conv3d_options, functional_conv_transpose3d_options) \
  OP(nni, module_op, conv_add2d, "torch.ao.nn.intrinsic.ConvAdd2d", conv2d_options, conv_add2d) \
  OP(nni, module_op, conv_add_relu2d, "torch.ao.nn.intrinsic.ConvAddReLU2d", conv2d_options, conv_add_relu2d) \
  OP(q, pass_op, conv_add2d, "torch.ao.nn.intrinsic.quantized.ConvAdd2d", conv2d_options, q_conv_add2d) \
  OP(q, pass_op, conv_add_relu2d, "torch.ao.nn.intrinsic.quantized.ConvAddReLU2d", conv2d_options, q_conv_add_relu2d)
// clang-format on

CTQ_CONVOLUTIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

template <int Axes>
constexpr op_descriptor transposed_convolution() {
  using options = std::conditional_t<Axes == 3, conv_transpose3d_options, conv_transpose2d_options>;
  using sizes = std::conditional_t<Axes == 3, conv_transpose3d_shape, conv_transpose2d_shape>;
  return {.infer_shape = &convolution_shape_rule<options, Axes>,
          .is_transposed = true,
          .makes_channels_last = Axes > 1,
          .weights = op_weights::quantizable,
          .channel_axis = 1,
          .parameters = &convolution_parameters<options, Axes>,
          .on_integers = on_integers::own_scale,
          .schedule = in_order(kernel_layout::nhwc,
                               Axes == 3 ? kernel::conv_transpose3d : kernel::conv_transpose2d,
                               &convolution_sizes<sizes, options, Axes>)};
}
/// As a function.
template <int Axes>
constexpr op_descriptor functional_transposed_convolution() {
  using options = std::conditional_t<Axes == 3, functional_conv_transpose3d_options,
                                     functional_conv_transpose2d_options>;
  using sizes = std::conditional_t<Axes == 3, conv_transpose3d_shape, conv_transpose2d_shape>;
  return {.infer_shape = &functional_convolution_shape_rule<options, Axes>,
          .is_transposed = true,
          .makes_channels_last = Axes > 1,
          .weights = op_weights::quantizable,
          .weight_position = 1,
          .channel_axis = 1,
          .on_integers = on_integers::own_scale,
          .is_since_2_1 = true,
          .schedule = in_order(kernel_layout::nhwc,
                               Axes == 3 ? kernel::conv_transpose3d : kernel::conv_transpose2d,
                               &functional_convolution_sizes<sizes, options, Axes>)};
}
#define CTQ_DESCRIBE_TRANSPOSED(N)                                                   \
  inline constexpr op_descriptor conv_transpose##N##d = transposed_convolution<N>(); \
  inline constexpr op_descriptor functional_conv_transpose##N##d =                   \
      functional_transposed_convolution<N>();
CTQ_DESCRIBE_TRANSPOSED(1)
CTQ_DESCRIBE_TRANSPOSED(2)
CTQ_DESCRIBE_TRANSPOSED(3)
#undef CTQ_DESCRIBE_TRANSPOSED

/// The groups of a transposed convolution; 0 for other layers.
[[nodiscard]] constexpr int transposed_groups(op_id op, const attributes& a) {
  if (!op->descriptor->is_transposed) return 0;
  if (op == &nn::info_conv_transpose3d) return a.as<conv_transpose3d_options>().groups;
  if (op == &fn::info_conv_transpose3d) return a.as<functional_conv_transpose3d_options>().groups;
  return op->descriptor->weight_position > 0 ? a.as<functional_conv_transpose2d_options>().groups
                                             : a.as<conv_transpose2d_options>().groups;
}

inline constexpr op_descriptor weighted{.weights = op_weights::quantizable};

/// A fused module that keeps its batch norm.
struct fused_parts {
  op_id part[3]{};
};
/// A module that is computed as a layer, and has a batch norm that is trained.
constexpr op_descriptor with_batch_norm(const fused_parts& p, const op_descriptor& layer) {
  return {.layer_axes = layer.layer_axes,
          .weights = op_weights::quantizable,
          .fused_of = {p.part[0], p.part[1], p.part[2]},
          .keeps_batch_norm = true,
          .gradient = layer.gradient,
          .schedule = layer.schedule};
}
/// A module that rounds its weight while it is trained, and the module that it becomes afterwards.
/// A batch norm that was trained with its convolution is folded into it.
constexpr op_descriptor trained(op_id float_form, const op_descriptor& layer) {
  return {.layer_axes = layer.layer_axes,
          .weights = op_weights::quantizable,
          .float_form = float_form,
          .gradient = layer.gradient,
          .schedule = layer.schedule};
}

/// What a convolution becomes, and what a fused one consists of.
struct convolution_forms {
  op_id integer{}, integer_relu{}, with_relu{};
  op_id part{};  // the convolution, followed by a relu
};

/// A convolution along Axes axes; along a single axis it is computed as that of an image of one
/// row.
template <int Axes>
constexpr op_descriptor convolution(const convolution_forms& forms = {}) {
  using options = std::conditional_t<Axes == 3, conv3d_options, conv2d_options>;
  using sizes = std::conditional_t<Axes == 3, conv3d_shape, conv2d_shape>;
  const bool relu = forms.part != nullptr;
  return {.infer_shape = relu ? nullptr : &convolution_shape_rule<options, Axes>,
          .layer_axes = Axes,
          .keeps_memory_order = Axes == 2,
          .weights = op_weights::quantizable,
          .parameters = &convolution_parameters<options, Axes>,
          .integer_form = forms.integer,
          .integer_relu_form = forms.integer_relu,
          .fused_of = {forms.part, relu ? &nn::info_relu : nullptr},
          .with_relu = forms.with_relu,
          .gradient = Axes == 2 ? gradient_rule::layer : gradient_rule::none,
          .schedule = in_order(kernel_layout::nhwc, Axes == 3 ? kernel::conv3d : kernel::conv2d,
                               &convolution_sizes<sizes, options, Axes>, relu)};
}
/// As a function.
template <int Axes>
using functional_options =
    std::conditional_t<Axes == 3, functional_conv3d_options, functional_conv2d_options>;
template <int Axes>
constexpr op_schedule functional_convolution_step(bool relu) {
  using sizes = std::conditional_t<Axes == 3, conv3d_shape, conv2d_shape>;
  return in_order(kernel_layout::nhwc, Axes == 3 ? kernel::conv3d : kernel::conv2d,
                  &functional_convolution_sizes<sizes, functional_options<Axes>, Axes>, relu);
}
#define CTQ_DESCRIBE_CONVOLUTIONS_OF(N)                                                      \
  inline constexpr op_descriptor conv##N##d =                                                \
      convolution<N>({.integer = &q::info_conv##N##d,                                        \
                      .integer_relu = &q::info_conv_relu##N##d,                              \
                      .with_relu = &nni::info_conv_relu##N##d});                             \
  inline constexpr op_descriptor conv_relu##N##d =                                           \
      convolution<N>({.integer = &q::info_conv_relu##N##d, .part = &nn::info_conv##N##d});   \
  inline constexpr op_descriptor functional_conv##N##d{                                      \
      .infer_shape = &functional_convolution_shape_rule<functional_options<N>, N>,           \
      .layer_axes = N,                                                                       \
      .weights = op_weights::quantizable,                                                    \
      .weight_position = 1,                                                                  \
      .integer_form = &q::info_functional_conv##N##d,                                        \
      .integer_relu_form = &q::info_functional_conv##N##d_relu,                              \
      .schedule = functional_convolution_step<N>(false)};                                    \
  inline constexpr op_descriptor conv_bn##N##d =                                             \
      with_batch_norm({&nn::info_conv##N##d, &nn::info_batch_norm##N##d}, conv##N##d);       \
  inline constexpr op_descriptor conv_bn_relu##N##d = with_batch_norm(                       \
      {&nn::info_conv##N##d, &nn::info_batch_norm##N##d, &nn::info_relu}, conv_relu##N##d);  \
  inline constexpr op_descriptor qat_conv##N##d = trained(&nn::info_conv##N##d, conv##N##d); \
  inline constexpr op_descriptor qat_conv_relu##N##d =                                       \
      trained(&nni::info_conv_relu##N##d, conv_relu##N##d);                                  \
  inline constexpr op_descriptor q_conv##N##d{                                               \
      .layer_axes = N, .makes_channels_last = N > 1, .schedule = conv##N##d.schedule};       \
  inline constexpr op_descriptor q_conv_relu##N##d{                                          \
      .layer_axes = N, .makes_channels_last = N > 1, .schedule = conv_relu##N##d.schedule};  \
  inline constexpr op_descriptor q_functional_conv##N##d{                                    \
      .layer_axes = N,                                                                       \
      .makes_channels_last = N > 1,                                                          \
      .weight_position = 1,                                                                  \
      .schedule = functional_convolution_step<N>(false)};                                    \
  inline constexpr op_descriptor q_functional_conv_relu##N##d{                               \
      .layer_axes = N,                                                                       \
      .makes_channels_last = N > 1,                                                          \
      .weight_position = 1,                                                                  \
      .schedule = functional_convolution_step<N>(true)};
CTQ_DESCRIBE_CONVOLUTIONS_OF(1)
CTQ_DESCRIBE_CONVOLUTIONS_OF(2)
CTQ_DESCRIBE_CONVOLUTIONS_OF(3)
#undef CTQ_DESCRIBE_CONVOLUTIONS_OF

/// A convolution whose float output a second tensor is added to.
constexpr op_schedule convolution_and_sum(bool relu) {
  return with(conv2d.schedule, [relu](op_schedule& s) {
    s.how = schedule_as::layer;
    s.tensors = 2;
    s.relu = relu;
  });
}
constexpr op_descriptor convolution_and_sum(bool relu, op_id integer_form) {
  return {.layer_axes = 2,
          .weights = op_weights::quantizable,
          .parameters = conv2d.parameters,
          .integer_form = integer_form,
          .schedule = convolution_and_sum(relu)};
}
inline constexpr op_descriptor conv_add2d = convolution_and_sum(false, &q::info_conv_add2d);
inline constexpr op_descriptor conv_add_relu2d =
    convolution_and_sum(true, &q::info_conv_add_relu2d);
inline constexpr op_descriptor q_conv_add2d{
    .layer_axes = 2, .makes_channels_last = true, .schedule = convolution_and_sum(false)};
inline constexpr op_descriptor q_conv_add_relu2d{
    .layer_axes = 2, .makes_channels_last = true, .schedule = convolution_and_sum(true)};

}  // namespace ctq::descriptors

CTQ_CONVOLUTIONS(CTQ_DESCRIBE_OP)
