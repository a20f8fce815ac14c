// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/activations.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/norms.hpp"

// Convolutions, fused with what follows them, trained, and on integers.

namespace ctq {

struct conv2d_options {
  int in_channels = 0;  // 0: as many as the input has
  int out_channels{};
  extent2d kernel_size{};
  extent2d stride = 1;
  extent2d padding = 0;
  extent2d dilation = 1;
  int groups = 1;
  flag bias = true;
};

}  // namespace ctq

// clang-format off
#define CTQ_CONVOLUTIONS(OP) \
  OP(nn, module_op, conv1d, "torch.nn.Conv1d", no_options, conv1d) \
  OP(nn, module_op, conv2d, "torch.nn.Conv2d", conv2d_options, conv2d) \
  OP(nn, module_op, conv3d, "torch.nn.Conv3d", no_options, conv3d) \
  OP(nn, module_op, conv_transpose1d, "torch.nn.ConvTranspose1d", no_options, conv_transpose1d) \
  OP(nn, module_op, conv_transpose2d, "torch.nn.ConvTranspose2d", no_options, conv_transpose2d) \
  OP(nn, module_op, conv_transpose3d, "torch.nn.ConvTranspose3d", no_options, conv_transpose3d) \
  OP(fn, function_op, conv1d, "torch.nn.functional.conv1d", no_options, functional_conv1d) \
  OP(fn, function_op, conv2d, "torch.nn.functional.conv2d", no_options, functional_conv2d) \
  OP(fn, function_op, conv3d, "torch.nn.functional.conv3d", no_options, functional_conv3d) \
  OP(fn, function_op, conv_transpose1d, "torch.nn.functional.conv_transpose1d", no_options, functional_conv_transpose) \
  OP(fn, function_op, conv_transpose2d, "torch.nn.functional.conv_transpose2d", no_options, functional_conv_transpose) \
  OP(fn, function_op, conv_transpose3d, "torch.nn.functional.conv_transpose3d", no_options, functional_conv_transpose) \
  OP(nni, module_op, conv_relu1d, "torch.ao.nn.intrinsic.ConvReLU1d", no_options, conv_relu1d) \
  OP(nni, module_op, conv_relu2d, "torch.ao.nn.intrinsic.ConvReLU2d", conv2d_options, conv_relu2d) \
  OP(nni, module_op, conv_relu3d, "torch.ao.nn.intrinsic.ConvReLU3d", no_options, conv_relu3d) \
  OP(nni, module_op, conv_bn1d, "torch.ao.nn.intrinsic.ConvBn1d", no_options, conv_bn1d) \
  OP(nni, module_op, conv_bn2d, "torch.ao.nn.intrinsic.ConvBn2d", conv2d_options, conv_bn2d) \
  OP(nni, module_op, conv_bn3d, "torch.ao.nn.intrinsic.ConvBn3d", no_options, conv_bn3d) \
  OP(nni, module_op, conv_bn_relu1d, "torch.ao.nn.intrinsic.ConvBnReLU1d", no_options, conv_bn_relu1d) \
  OP(nni, module_op, conv_bn_relu2d, "torch.ao.nn.intrinsic.ConvBnReLU2d", conv2d_options, conv_bn_relu2d) \
  OP(nni, module_op, conv_bn_relu3d, "torch.ao.nn.intrinsic.ConvBnReLU3d", no_options, conv_bn_relu3d) \
  OP(nni, module_op, conv_add2d, "torch.ao.nn.intrinsic.ConvAdd2d", no_options, weighted) \
  OP(nni, module_op, conv_add_relu2d, "torch.ao.nn.intrinsic.ConvAddReLU2d", no_options, weighted) \
  OP(nnqat, module_op, conv1d, "torch.ao.nn.qat.Conv1d", no_options, qat_conv1d) \
  OP(nnqat, module_op, conv2d, "torch.ao.nn.qat.Conv2d", no_options, qat_conv2d) \
  OP(nnqat, module_op, conv3d, "torch.ao.nn.qat.Conv3d", no_options, qat_conv3d) \
  OP(nniqat, module_op, conv_relu1d, "torch.ao.nn.intrinsic.qat.ConvReLU1d", no_options, qat_conv_relu1d) \
  OP(nniqat, module_op, conv_relu2d, "torch.ao.nn.intrinsic.qat.ConvReLU2d", no_options, qat_conv_relu2d) \
  OP(nniqat, module_op, conv_relu3d, "torch.ao.nn.intrinsic.qat.ConvReLU3d", no_options, qat_conv_relu3d) \
  OP(nniqat, module_op, conv_bn1d, "torch.ao.nn.intrinsic.qat.ConvBn1d", no_options, qat_conv1d) \
  OP(nniqat, module_op, conv_bn2d, "torch.ao.nn.intrinsic.qat.ConvBn2d", no_options, qat_conv2d) \
  OP(nniqat, module_op, conv_bn3d, "torch.ao.nn.intrinsic.qat.ConvBn3d", no_options, qat_conv3d) \
  OP(nniqat, module_op, conv_bn_relu1d, "torch.ao.nn.intrinsic.qat.ConvBnReLU1d", no_options, qat_conv_relu1d) \
  OP(nniqat, module_op, conv_bn_relu2d, "torch.ao.nn.intrinsic.qat.ConvBnReLU2d", no_options, qat_conv_relu2d) \
  OP(nniqat, module_op, conv_bn_relu3d, "torch.ao.nn.intrinsic.qat.ConvBnReLU3d", no_options, qat_conv_relu3d) \
  OP(nnqr, module_op, conv1d, "torch.ao.nn.quantized.reference.Conv1d", no_options, none) \
  OP(nnqr, module_op, conv2d, "torch.ao.nn.quantized.reference.Conv2d", no_options, none) \
  OP(nnqr, module_op, conv3d, "torch.ao.nn.quantized.reference.Conv3d", no_options, none) \
  OP(nnqr, module_op, conv_transpose1d, "torch.ao.nn.quantized.reference.ConvTranspose1d", no_options, none) \
  OP(nnqr, module_op, conv_transpose2d, "torch.ao.nn.quantized.reference.ConvTranspose2d", no_options, none) \
  OP(nnqr, module_op, conv_transpose3d, "torch.ao.nn.quantized.reference.ConvTranspose3d", no_options, none) \
  OP(q, pass_op, conv2d, "torch.ao.nn.quantized.Conv2d", conv2d_options, q_conv2d) \
  OP(q, pass_op, conv_relu2d, "torch.ao.nn.intrinsic.quantized.ConvReLU2d", conv2d_options, q_conv_relu2d) \
  OP(q, pass_op, conv1d, "torch.ao.nn.quantized.Conv1d", no_options, none) \
  OP(q, pass_op, conv3d, "torch.ao.nn.quantized.Conv3d", no_options, q_conv3d) \
  OP(q, pass_op, conv_relu1d, "torch.ao.nn.intrinsic.quantized.ConvReLU1d", no_options, none) \
  OP(q, pass_op, conv_relu3d, "torch.ao.nn.intrinsic.quantized.ConvReLU3d", no_options, q_conv3d) \
  OP(q, pass_op, functional_conv1d, "torch.ops.quantized.conv1d", no_options, none) \
  OP(q, pass_op, functional_conv1d_relu, "torch.ops.quantized.conv1d_relu", no_options, none) \
  OP(q, pass_op, functional_conv2d, "torch.ops.quantized.conv2d", no_options, q_conv3d) \
  OP(q, pass_op, functional_conv2d_relu, "torch.ops.quantized.conv2d_relu", no_options, q_conv3d) \
  OP(q, pass_op, functional_conv3d, "torch.ops.quantized.conv3d", no_options, q_conv3d) \
  OP(q, pass_op, functional_conv3d_relu, "torch.ops.quantized.conv3d_relu", no_options, q_conv3d)
// clang-format on

CTQ_CONVOLUTIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

constexpr shape conv2d_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, 4)) return {};
  const shape& x = in[0];
  auto o = a.as<conv2d_options>();
  if (!settle(d, "in_channels", o.in_channels, x.extent[1], x)) return {};
  if (o.out_channels < 1) {
    complain(d, "out_channels is ", o.out_channels);
    return {};
  }
  if (o.groups < 1 || o.in_channels % o.groups != 0 || o.out_channels % o.groups != 0) {
    complain(d, "groups ", o.groups, " must divide\nin_channels ", o.in_channels,
             " and out_channels ", o.out_channels);
    return {};
  }
  if (!valid_window(d, x, o.kernel_size, o.stride, o.padding, o.dilation)) return {};
  if (!countable_weight(
          d, {o.out_channels, o.in_channels / o.groups, o.kernel_size.h, o.kernel_size.w}))
    return {};
  a = attributes{o};
  return {x.extent[0], o.out_channels,
          windows(x.extent[2], o.kernel_size.h, o.stride.h, o.padding.h, o.dilation.h, false),
          windows(x.extent[3], o.kernel_size.w, o.stride.w, o.padding.w, o.dilation.w, false)};
}

constexpr op_parameters conv2d_parameters(const attributes& a) {
  const auto o = a.as<conv2d_options>();
  const op_parameter weight{
      "weight", {o.out_channels, o.in_channels / o.groups, o.kernel_size.h, o.kernel_size.w}};
  if (!o.bias) return {weight};
  return {weight, op_parameter{"bias", {o.out_channels}}};
}

constexpr kernel_signature::sizes conv2d_sizes(attributes a, shape in, shape) {
  const auto o = a.as<conv2d_options>();
  return to_block<kernel_signature::sizes>(conv2d_shape{.batch = in.extent[0],
                                                        .in_h = in.extent[2],
                                                        .in_w = in.extent[3],
                                                        .in_channels = in.extent[1],
                                                        .out_channels = o.out_channels,
                                                        .kernel_h = o.kernel_size.h,
                                                        .kernel_w = o.kernel_size.w,
                                                        .stride_h = o.stride.h,
                                                        .stride_w = o.stride.w,
                                                        .padding_h = o.padding.h,
                                                        .padding_w = o.padding.w,
                                                        .dilation_h = o.dilation.h,
                                                        .dilation_w = o.dilation.w,
                                                        .groups = o.groups});
}

inline constexpr op_schedule conv2d_step =
    in_order(kernel_layout::nhwc, kernel::conv2d, &conv2d_sizes);
inline constexpr op_schedule conv_relu2d_step =
    in_order(kernel_layout::nhwc, kernel::conv2d, &conv2d_sizes, true);

inline constexpr op_descriptor conv2d{.infer_shape = &conv2d_shape_rule,
                                      .layer_axes = 2,
                                      .keeps_memory_order = true,
                                      .weights = op_weights::quantizable,
                                      .parameters = &conv2d_parameters,
                                      .integer_form = &q::op_conv2d::info,
                                      .integer_relu_form = &q::op_conv_relu2d::info,
                                      .with_relu = &nni::op_conv_relu2d::info,
                                      .schedule = conv2d_step};
inline constexpr op_descriptor conv_relu2d{.layer_axes = 2,
                                           .keeps_memory_order = true,
                                           .weights = op_weights::quantizable,
                                           .parameters = &conv2d_parameters,
                                           .integer_form = &q::op_conv_relu2d::info,
                                           .fused_of = {&nn::op_conv2d::info, &nn::op_relu::info},
                                           .schedule = conv_relu2d_step};

inline constexpr op_descriptor conv1d{.layer_axes = 1,
                                      .weights = op_weights::quantizable,
                                      .integer_form = &q::op_conv1d::info,
                                      .integer_relu_form = &q::op_conv_relu1d::info,
                                      .with_relu = &nni::op_conv_relu1d::info};

inline constexpr op_descriptor conv3d{.layer_axes = 3,
                                      .weights = op_weights::quantizable,
                                      .integer_form = &q::op_conv3d::info,
                                      .integer_relu_form = &q::op_conv_relu3d::info,
                                      .with_relu = &nni::op_conv_relu3d::info};

inline constexpr op_descriptor conv_transpose3d{
    .is_transposed = true, .weights = op_weights::quantizable, .channel_axis = 1};
inline constexpr op_descriptor conv_transpose1d =
    with(conv_transpose3d, [](op_descriptor& d) { d.on_integers = on_integers::own_scale; });
inline constexpr op_descriptor conv_transpose2d =
    with(conv_transpose1d, [](op_descriptor& d) { d.makes_channels_last = true; });
inline constexpr op_descriptor functional_conv_transpose{.weights = op_weights::quantizable,
                                                         .channel_axis = 1};
inline constexpr op_descriptor weighted{.weights = op_weights::quantizable};

/// A fused module that keeps its batch norm.
struct fused_parts {
  op_id part[3]{};
};
constexpr op_descriptor with_batch_norm(const fused_parts& p) {
  return {.weights = op_weights::quantizable,
          .fused_of = {p.part[0], p.part[1], p.part[2]},
          .keeps_batch_norm = true};
}
/// A module that rounds its weight while it is trained, and what it becomes then. A batch norm that
/// was trained beside its convolution is folded into it.
constexpr op_descriptor trained(op_id float_form) {
  return {.weights = op_weights::quantizable, .float_form = float_form};
}

inline constexpr op_descriptor functional_conv1d{
    .layer_axes = 1,
    .weights = op_weights::quantizable,
    .integer_form = &q::op_functional_conv1d::info,
    .integer_relu_form = &q::op_functional_conv1d_relu::info};
inline constexpr op_descriptor conv_bn1d =
    with_batch_norm({&nn::op_conv1d::info, &nn::op_batch_norm1d::info});
inline constexpr op_descriptor conv_bn_relu1d =
    with_batch_norm({&nn::op_conv1d::info, &nn::op_batch_norm1d::info, &nn::op_relu::info});
inline constexpr op_descriptor qat_conv1d = trained(&nn::op_conv1d::info);
inline constexpr op_descriptor qat_conv_relu1d = trained(&nni::op_conv_relu1d::info);

inline constexpr op_descriptor functional_conv2d{
    .layer_axes = 2,
    .weights = op_weights::quantizable,
    .integer_form = &q::op_functional_conv2d::info,
    .integer_relu_form = &q::op_functional_conv2d_relu::info};
inline constexpr op_descriptor conv_bn2d =
    with_batch_norm({&nn::op_conv2d::info, &nn::op_batch_norm2d::info});
inline constexpr op_descriptor conv_bn_relu2d =
    with_batch_norm({&nn::op_conv2d::info, &nn::op_batch_norm2d::info, &nn::op_relu::info});
inline constexpr op_descriptor qat_conv2d = trained(&nn::op_conv2d::info);
inline constexpr op_descriptor qat_conv_relu2d = trained(&nni::op_conv_relu2d::info);

inline constexpr op_descriptor functional_conv3d{
    .layer_axes = 3,
    .weights = op_weights::quantizable,
    .integer_form = &q::op_functional_conv3d::info,
    .integer_relu_form = &q::op_functional_conv3d_relu::info};
inline constexpr op_descriptor conv_bn3d =
    with_batch_norm({&nn::op_conv3d::info, &nn::op_batch_norm3d::info});
inline constexpr op_descriptor conv_bn_relu3d =
    with_batch_norm({&nn::op_conv3d::info, &nn::op_batch_norm3d::info, &nn::op_relu::info});
inline constexpr op_descriptor qat_conv3d = trained(&nn::op_conv3d::info);
inline constexpr op_descriptor qat_conv_relu3d = trained(&nni::op_conv_relu3d::info);

inline constexpr op_descriptor conv_relu1d{.layer_axes = 1,
                                           .weights = op_weights::quantizable,
                                           .integer_form = &q::op_conv_relu1d::info,
                                           .fused_of = {&nn::op_conv1d::info, &nn::op_relu::info}};

inline constexpr op_descriptor conv_relu3d{.layer_axes = 3,
                                           .weights = op_weights::quantizable,
                                           .integer_form = &q::op_conv_relu3d::info,
                                           .fused_of = {&nn::op_conv3d::info, &nn::op_relu::info}};

inline constexpr op_descriptor q_conv3d{.makes_channels_last = true};
inline constexpr op_descriptor q_conv2d{.makes_channels_last = true, .schedule = conv2d_step};
inline constexpr op_descriptor q_conv_relu2d{.makes_channels_last = true,
                                             .schedule = conv_relu2d_step};

}  // namespace ctq::descriptors

CTQ_CONVOLUTIONS(CTQ_DESCRIBE_OP)
