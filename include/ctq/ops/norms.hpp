// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/activations.hpp"
#include "ctq/ops/define_ops.hpp"

// Norms: their parameters stay in float.

namespace ctq {

struct batch_norm2d_options {
  int num_features = 0;  // 0: as many as the input has
  float eps = 1e-5F;
};

}  // namespace ctq

// clang-format off
#define CTQ_NORMS(OP) \
  OP(nn, module_op, batch_norm1d, "torch.nn.BatchNorm1d", batch_norm2d_options, batch_norm1d) \
  OP(nn, module_op, batch_norm2d, "torch.nn.BatchNorm2d", batch_norm2d_options, batch_norm2d) \
  OP(nn, module_op, batch_norm3d, "torch.nn.BatchNorm3d", no_options, batch_norm3d) \
  CTQ_MODULE_AND_FUNCTION(OP, layer_norm, "LayerNorm", no_options, layer_norm) \
  OP(nn, module_op, group_norm, "torch.nn.GroupNorm", no_options, group_norm) \
  OP(nn, module_op, instance_norm1d, "torch.nn.InstanceNorm1d", no_options, instance_norm) \
  OP(nn, module_op, instance_norm3d, "torch.nn.InstanceNorm3d", no_options, instance_norm) \
  OP(nn, module_op, instance_norm2d, "torch.nn.InstanceNorm2d", no_options, instance_norm2d) \
  OP(fn, function_op, instance_norm, "torch.nn.functional.instance_norm", no_options, instance_norm2d) \
  OP(nni, module_op, bn_relu2d, "torch.ao.nn.intrinsic.BNReLU2d", batch_norm2d_options, bn_relu2d) \
  OP(nni, module_op, bn_relu3d, "torch.ao.nn.intrinsic.BNReLU3d", no_options, bn_relu3d) \
  OP(fn, function_op, group_norm, "torch.nn.functional.group_norm", no_options, functional_group_norm) \
  OP(fn, function_op, batch_norm, "torch.nn.functional.batch_norm", no_options, functional_batch_norm)
// clang-format on

CTQ_NORMS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// Of two axes there is nothing but channels.
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
constexpr shape batch_norm2d_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  return shape_rules::needs(d, in, 1, 4) ? batch_norm_shape_rule(in, a, d) : shape{};
}

constexpr op_parameters batch_norm2d_parameters(const attributes& a) {
  const shape channels{a.as<batch_norm2d_options>().num_features};
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
inline constexpr op_descriptor batch_norm3d{.makes_channels_last = true,
                                            .weights = op_weights::in_float,
                                            .on_integers = on_integers::own_scale,
                                            .is_batch_norm = true};
inline constexpr op_descriptor batch_norm2d{.infer_shape = &batch_norm2d_shape_rule,
                                            .keeps_memory_order = true,
                                            .makes_channels_last = true,
                                            .weights = op_weights::in_float,
                                            .parameters = &batch_norm2d_parameters,
                                            .on_integers = on_integers::own_scale,
                                            .is_batch_norm = true,
                                            .gradient = gradient_rule::batch_norm,
                                            .schedule = batch_norm2d_step(false)};
inline constexpr op_descriptor functional_batch_norm{.weights = op_weights::in_float};

inline constexpr op_descriptor bn_relu2d{
    .makes_channels_last = true,
    .weights = op_weights::in_float,
    .on_integers = on_integers::own_scale,
    .fused_of = {&nn::op_batch_norm2d::info, &nn::op_relu::info},
    .gradient = gradient_rule::batch_norm,
    .schedule = batch_norm2d_step(true)};
inline constexpr op_descriptor bn_relu3d{
    .makes_channels_last = true,
    .weights = op_weights::in_float,
    .on_integers = on_integers::own_scale,
    .fused_of = {&nn::op_batch_norm3d::info, &nn::op_relu::info}};

inline constexpr op_descriptor layer_norm{.weights = op_weights::in_float,
                                          .on_integers = on_integers::own_scale};
inline constexpr op_descriptor group_norm{.weights = op_weights::in_float};
inline constexpr op_descriptor functional_group_norm{.keeps_memory_order = true,
                                                     .weights = op_weights::in_float};
inline constexpr op_descriptor instance_norm{.weights = op_weights::in_float,
                                             .on_integers = on_integers::own_scale};
inline constexpr op_descriptor instance_norm2d{.keeps_memory_order = true,
                                               .weights = op_weights::in_float,
                                               .on_integers = on_integers::own_scale};

}  // namespace ctq::descriptors

CTQ_NORMS(CTQ_DESCRIBE_OP)
