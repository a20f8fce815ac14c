// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/norm_shapes.hpp"

// Norms and PReLU: their parameters stay in float.

// clang-format off
#define CTQ_NORMS(OP) \
  OP(nn, module_op, prelu, "torch.nn.PReLU", prelu_options, prelu) \
  OP(fn, weighted_function, prelu, "torch.nn.functional.prelu", no_options, functional_prelu) \
  OP(nn, module_op, batch_norm1d, "torch.nn.BatchNorm1d", batch_norm2d_options, batch_norm1d) \
  OP(nn, module_op, batch_norm2d, "torch.nn.BatchNorm2d", batch_norm2d_options, batch_norm2d) \
  OP(nn, module_op, batch_norm3d, "torch.nn.BatchNorm3d", batch_norm2d_options, batch_norm3d) \
  OP(nn, module_op, layer_norm, "torch.nn.LayerNorm", layer_norm_options, layer_norm) \
  OP(fn, weighted_function, layer_norm, "torch.nn.functional.layer_norm", functional_layer_norm_options, functional_layer_norm) \
  OP(nn, module_op, group_norm, "torch.nn.GroupNorm", group_norm_options, group_norm) \
  OP(nn, module_op, instance_norm1d, "torch.nn.InstanceNorm1d", instance_norm_options, instance_norm) \
  OP(nn, module_op, instance_norm3d, "torch.nn.InstanceNorm3d", instance_norm_options, instance_norm3d) \
  OP(nn, module_op, instance_norm2d, "torch.nn.InstanceNorm2d", instance_norm_options, instance_norm2d) \
  OP(fn, weighted_function, instance_norm, "torch.nn.functional.instance_norm", functional_instance_norm_options, functional_instance_norm) \
  OP(nni, module_op, bn_relu2d, "torch.ao.nn.intrinsic.BNReLU2d", batch_norm2d_options, bn_relu2d) \
  OP(nni, module_op, bn_relu3d, "torch.ao.nn.intrinsic.BNReLU3d", batch_norm2d_options, bn_relu3d) \
  OP(fn, weighted_function, group_norm, "torch.nn.functional.group_norm", functional_group_norm_options, functional_group_norm) \
  OP(fn, function_op, batch_norm, "torch.nn.functional.batch_norm", no_options, functional_batch_norm)
// clang-format on

CTQ_NORMS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// An input with two axes has no pixels, only channels.
constexpr shape batch_norm_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  auto o = a.as<batch_norm2d_options>();
  if (!shape_rules::settle(d, "num_features", o.num_features, in[0].extent[1], in[0])) return {};
  a = attributes{o};
  return in[0];
}

constexpr shape batch_norm1d_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  const bool flat = in.count == 1 && in[0].rank == 2;
  return shape_rules::needs(d, in, 1, flat ? 2 : 3) ? batch_norm_shape_rule(in, a, d) : shape{};
}
/// Axes: 2 and those of a pixel.
template <int Axes>
constexpr shape batch_norm_axes_rule(view<shape> in, attributes& a, diagnostic& d) {
  return shape_rules::needs(d, in, 1, Axes) ? batch_norm_shape_rule(in, a, d) : shape{};
}

constexpr op_parameters batch_norm2d_parameters(const attributes& a) {
  const auto o = a.as<batch_norm2d_options>();
  const shape channels{o.num_features};
  if (o.affine == 0)
    return {op_parameter{"running_mean", channels}, op_parameter{"running_var", channels}};
  return {op_parameter{"weight", channels}, op_parameter{"bias", channels},
          op_parameter{"running_mean", channels}, op_parameter{"running_var", channels}};
}

constexpr kernel_signature::sizes batch_norm2d_sizes(attributes, shape x, shape) {
  return to_block<kernel_signature::sizes>(channels_shape{static_cast<int>(numel(x)) / x[1], x[1]});
}

constexpr op_schedule batch_norm2d_step(bool relu) {
  return in_order(kernel_layout::nhwc, kernel::batch_norm2d, &batch_norm2d_sizes, relu);
}

inline constexpr op_descriptor batch_norm1d{.infer_shape = &batch_norm1d_shape_rule,
                                            .weights = op_weights::in_float,
                                            .parameters = &batch_norm2d_parameters,
                                            .is_batch_norm = true,
                                            .schedule = batch_norm2d_step(false)};
inline constexpr op_descriptor batch_norm3d{.infer_shape = &batch_norm_axes_rule<5>,
                                            .makes_channels_last = true,
                                            .weights = op_weights::in_float,
                                            .parameters = &batch_norm2d_parameters,
                                            .on_integers = on_integers::own_scale,
                                            .is_batch_norm = true,
                                            .schedule = batch_norm2d_step(false)};
inline constexpr op_descriptor batch_norm2d{.infer_shape = &batch_norm_axes_rule<4>,
                                            .keeps_memory_order = true,
                                            .makes_channels_last = true,
                                            .weights = op_weights::in_float,
                                            .parameters = &batch_norm2d_parameters,
                                            .on_integers = on_integers::own_scale,
                                            .is_batch_norm = true,
                                            .gradient = gradient_rule::batch_norm,
                                            .schedule = batch_norm2d_step(false)};
inline constexpr op_descriptor functional_batch_norm{.weights = op_weights::in_float};

inline constexpr op_descriptor bn_relu3d{.makes_channels_last = true,
                                         .weights = op_weights::in_float,
                                         .on_integers = on_integers::own_scale,
                                         .fused_of = {&nn::info_batch_norm3d, &nn::info_relu},
                                         .schedule = batch_norm2d_step(true)};
inline constexpr op_descriptor bn_relu2d{.makes_channels_last = true,
                                         .weights = op_weights::in_float,
                                         .on_integers = on_integers::own_scale,
                                         .fused_of = {&nn::info_batch_norm2d, &nn::info_relu},
                                         .gradient = gradient_rule::batch_norm,
                                         .schedule = batch_norm2d_step(true)};

inline constexpr op_descriptor layer_norm{
    .infer_shape = &layer_norm_shape_rule,
    .weights = op_weights::in_float,
    .parameters = &layer_norm_parameters,
    .on_integers = on_integers::own_scale,
    .schedule = in_order(kernel_layout::nchw, kernel::layer_norm, &layer_norm_sizes)};
inline constexpr op_descriptor functional_layer_norm{
    .infer_shape = &functional_layer_norm_shape_rule,
    .weights = op_weights::in_float,
    .weight_position = 2,
    .parameters = &layer_norm_parameters,
    .on_integers = on_integers::own_scale,
    .schedule = layer_norm.schedule};
/// Normalizes with the statistics of groups of channels.
inline constexpr op_descriptor group_norm{
    .infer_shape = &channel_norm_shape_rule<group_norm_options>,
    .weights = op_weights::in_float,
    .parameters = &channel_norm_parameters<group_norm_options>,
    .schedule =
        in_order(kernel_layout::nchw, kernel::layer_norm, &channel_norm_sizes<group_norm_options>)};
inline constexpr op_descriptor functional_group_norm{
    .infer_shape = &functional_channel_norm_shape_rule<completed_group_norm>,
    .keeps_memory_order = true,
    .weights = op_weights::in_float,
    .weight_position = 2,
    .parameters = &channel_norm_parameters<completed_group_norm>,
    .on_integers = on_integers::own_scale,
    .is_since_2_1 = true,
    .schedule = in_order(kernel_layout::nchw, kernel::layer_norm,
                         &channel_norm_sizes<completed_group_norm>)};
constexpr op_descriptor instance_norm_of(op_descriptor::shape_rule rule, bool keeps_memory_order) {
  return {.infer_shape = rule,
          .keeps_memory_order = keeps_memory_order,
          .weights = op_weights::in_float,
          .parameters = &channel_norm_parameters<instance_norm_options>,
          .on_integers = on_integers::own_scale,
          .schedule = in_order(kernel_layout::nchw, kernel::layer_norm,
                               &channel_norm_sizes<instance_norm_options>)};
}
inline constexpr op_descriptor instance_norm =
    instance_norm_of(&instance_norm_shape_rule<3>, false);
inline constexpr op_descriptor instance_norm3d =
    instance_norm_of(&instance_norm_shape_rule<5>, false);
inline constexpr op_descriptor instance_norm2d =
    instance_norm_of(&instance_norm_shape_rule<4>, true);
inline constexpr op_descriptor functional_instance_norm{
    .infer_shape = &functional_channel_norm_shape_rule<completed_instance_norm>,
    .keeps_memory_order = true,
    .weights = op_weights::in_float,
    .weight_position = 3,
    .parameters = &channel_norm_parameters<completed_instance_norm>,
    .on_integers = on_integers::own_scale,
    .schedule = in_order(kernel_layout::nchw, kernel::layer_norm,
                         &channel_norm_sizes<completed_instance_norm>)};

constexpr shape prelu_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  const int weights = a.as<prelu_options>().num_parameters;
  const bool per_channel = in[0].rank >= 2 && weights == in[0][1];
  if (weights != 1 && !per_channel)
    return shape_rules::wrong_input(d, in[0], "num_parameters ", weights,
                                    " is neither 1 nor\nthe number of channels");
  return in[0];
}
constexpr op_parameters prelu_parameters(const attributes& a) {
  return {op_parameter{"weight", {a.as<prelu_options>().num_parameters}}};
}
constexpr kernel_signature::sizes prelu_sizes(attributes a, shape in, shape) {
  const int channels = a.as<prelu_options>().num_parameters;
  return to_block<kernel_signature::sizes>(
      channels_shape{static_cast<int>(numel(in)) / channels, channels});
}
inline constexpr op_descriptor prelu{
    .infer_shape = &prelu_shape_rule,
    .keeps_memory_order = true,
    .weights = op_weights::in_float,
    .parameters = &prelu_parameters,
    .on_integers = on_integers::own_scale,
    .schedule = in_order(kernel_layout::nhwc, kernel::prelu, &prelu_sizes)};
/// Completes the options to those of the module.
constexpr shape functional_prelu_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (in.count != 2) {
    wrong_parameters(d, "takes an input and a weight, not ", in.count, " tensors");
    return {};
  }
  if (in[1].rank != 1) {
    wrong_parameter(d, "requires a weight of ", 1, " axis;", in[1]);
    return {};
  }
  a = attributes{prelu_options{in[1][0]}};
  return prelu_shape_rule({in.items, 1}, a, d);
}
inline constexpr op_descriptor functional_prelu{.infer_shape = &functional_prelu_shape_rule,
                                                .keeps_memory_order = true,
                                                .weights = op_weights::in_float,
                                                .weight_position = 1,
                                                .parameters = &prelu_parameters,
                                                .schedule = prelu.schedule};

}  // namespace ctq::descriptors

CTQ_NORMS(CTQ_DESCRIBE_OP)
