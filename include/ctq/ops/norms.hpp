// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/activations.hpp"
#include "ctq/ops/define_ops.hpp"

// Norms and PReLU: their parameters stay in float.

namespace ctq {

struct batch_norm2d_options {
  int num_features = 0;  // 0: as many as the input has
  float eps = 1e-5F;
};

struct layer_norm_options {
  ctq::shape normalized_shape{};  // the last axes; none: the last one
  float eps = 1e-5F;
  flag elementwise_affine = true;
};

struct group_norm_options {
  int num_groups{};
  int num_channels = 0;  // 0: as many as the input has
  float eps = 1e-5F;
  flag affine = true;
};

/// By the statistics of the input.
struct instance_norm_options {
  int num_features = 0;  // 0: as many as the input has
  float eps = 1e-5F;
  flag affine = false;
  flag track_running_stats = false;  // true: no kernel
};

struct prelu_options {
  int num_parameters = 1;  // 1, or as many as there are channels
};

}  // namespace ctq

// clang-format off
#define CTQ_NORMS(OP) \
  OP(nn, module_op, prelu, "torch.nn.PReLU", prelu_options, prelu) \
  OP(fn, function_op, prelu, "torch.nn.functional.prelu", no_options, functional_prelu) \
  OP(nn, module_op, batch_norm1d, "torch.nn.BatchNorm1d", batch_norm2d_options, batch_norm1d) \
  OP(nn, module_op, batch_norm2d, "torch.nn.BatchNorm2d", batch_norm2d_options, batch_norm2d) \
  OP(nn, module_op, batch_norm3d, "torch.nn.BatchNorm3d", batch_norm2d_options, batch_norm3d) \
  OP(nn, module_op, layer_norm, "torch.nn.LayerNorm", layer_norm_options, layer_norm) \
  OP(fn, function_op, layer_norm, "torch.nn.functional.layer_norm", no_options, functional_layer_norm) \
  OP(nn, module_op, group_norm, "torch.nn.GroupNorm", group_norm_options, group_norm) \
  OP(nn, module_op, instance_norm1d, "torch.nn.InstanceNorm1d", instance_norm_options, instance_norm) \
  OP(nn, module_op, instance_norm3d, "torch.nn.InstanceNorm3d", instance_norm_options, instance_norm3d) \
  OP(nn, module_op, instance_norm2d, "torch.nn.InstanceNorm2d", instance_norm_options, instance_norm2d) \
  OP(fn, function_op, instance_norm, "torch.nn.functional.instance_norm", no_options, functional_instance_norm) \
  OP(nni, module_op, bn_relu2d, "torch.ao.nn.intrinsic.BNReLU2d", batch_norm2d_options, bn_relu2d) \
  OP(nni, module_op, bn_relu3d, "torch.ao.nn.intrinsic.BNReLU3d", batch_norm2d_options, bn_relu3d) \
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
/// Axes: 2 and those of a pixel.
template <int Axes>
constexpr shape batch_norm_axes_rule(view<shape> in, attributes& a, diagnostic& d) {
  return shape_rules::needs(d, in, 1, Axes) ? batch_norm_shape_rule(in, a, d) : shape{};
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
inline constexpr op_descriptor batch_norm3d{.infer_shape = &batch_norm_axes_rule<5>,
                                            .makes_channels_last = true,
                                            .weights = op_weights::in_float,
                                            .parameters = &batch_norm2d_parameters,
                                            .on_integers = on_integers::own_scale,
                                            .is_batch_norm = true,
                                            .schedule = batch_norm2d_step(false)};
inline constexpr op_descriptor batch_norm2d = with(batch_norm3d, [](op_descriptor& d) {
  d.infer_shape = &batch_norm_axes_rule<4>;
  d.keeps_memory_order = true;
  d.gradient = gradient_rule::batch_norm;
});
inline constexpr op_descriptor functional_batch_norm{.weights = op_weights::in_float};

inline constexpr op_descriptor bn_relu3d{.makes_channels_last = true,
                                         .weights = op_weights::in_float,
                                         .on_integers = on_integers::own_scale,
                                         .fused_of = {&nn::info_batch_norm3d, &nn::info_relu},
                                         .schedule = batch_norm2d_step(true)};
inline constexpr op_descriptor bn_relu2d = with(bn_relu3d, [](op_descriptor& d) {
  d.fused_of[0] = &nn::info_batch_norm2d;
  d.gradient = gradient_rule::batch_norm;
});

constexpr shape layer_norm_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<layer_norm_options>();
  if (o.normalized_shape.rank == 0) o.normalized_shape = shape{in[0][in[0].rank - 1]};
  const int before = in[0].rank - o.normalized_shape.rank;
  bool fits = before >= 0;
  for (int axis = 0; axis < o.normalized_shape.rank && fits; ++axis)
    fits = o.normalized_shape[axis] == in[0][before + axis];
  if (!fits)
    return shape_rules::wrong_input(d, in[0], "normalized_shape is ",
                                    shape_text(o.normalized_shape).view());
  a = attributes{o};
  return in[0];
}
constexpr op_parameters layer_norm_parameters(const attributes& a) {
  const auto o = a.as<layer_norm_options>();
  if (!o.elementwise_affine) return {};
  return {op_parameter{"weight", o.normalized_shape}, op_parameter{"bias", o.normalized_shape}};
}
constexpr kernel_signature::sizes layer_norm_sizes(attributes a, shape in, shape) {
  const auto o = a.as<layer_norm_options>();
  const auto count = static_cast<int>(numel(o.normalized_shape));
  return to_block<kernel_signature::sizes>(
      layer_norm_shape{.rows = static_cast<int>(numel(in)) / count,
                       .count = count,
                       .channels = count,
                       .affine = o.elementwise_affine ? 1 : 0,
                       .eps = o.eps});
}

/// How many channels there are, which are the second axis; as an option.
constexpr int& channels_of(group_norm_options& o) { return o.num_channels; }
constexpr int& channels_of(instance_norm_options& o) { return o.num_features; }

/// Of group norms and instance norms. Axes: 2 and those of a pixel; 0: 2 or more.
template <class Options, int Axes>
constexpr shape channel_norm_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  constexpr bool has_groups = requires(Options o) { o.num_groups; };
  if (!needs(d, in, 1, Axes)) return {};
  if (in[0].rank < 2) return wrong_input(d, in[0], "requires an input of 2 axes or more");
  auto o = a.as<Options>();
  if (!settle(d, has_groups ? "num_channels" : "num_features", channels_of(o), in[0][1], in[0]))
    return {};
  if constexpr (has_groups) {
    if (o.num_groups < 1 || in[0][1] % o.num_groups != 0)
      return wrong_input(d, in[0], "num_groups ", o.num_groups, " does not divide\nthe channels");
  } else {
    if (o.track_running_stats) complain(d, "no kernel has running statistics");
  }
  a = attributes{o};
  return in[0];
}
template <class Options>
constexpr op_parameters channel_norm_parameters(const attributes& a) {
  auto o = a.as<Options>();
  if (!o.affine) return {};
  return {op_parameter{"weight", {channels_of(o)}}, op_parameter{"bias", {channels_of(o)}}};
}
/// Groups of the channels of each image, normalized with all their pixels.
template <class Options>
constexpr kernel_signature::sizes channel_norm_sizes(attributes a, shape in, shape) {
  const auto o = a.as<Options>();
  int rows = in[0] * in[1];
  if constexpr (requires { o.num_groups; }) rows = in[0] * o.num_groups;
  const auto elements = static_cast<int>(numel(in));
  return to_block<kernel_signature::sizes>(layer_norm_shape{.rows = rows,
                                                            .count = elements / rows,
                                                            .channels = in[1],
                                                            .pixels = elements / in[0] / in[1],
                                                            .affine = o.affine ? 1 : 0,
                                                            .eps = o.eps});
}

inline constexpr op_descriptor functional_layer_norm{.weights = op_weights::in_float,
                                                     .on_integers = on_integers::own_scale};
inline constexpr op_descriptor layer_norm{
    .infer_shape = &layer_norm_shape_rule,
    .weights = op_weights::in_float,
    .parameters = &layer_norm_parameters,
    .on_integers = on_integers::own_scale,
    .schedule = in_order(kernel_layout::nchw, kernel::layer_norm, &layer_norm_sizes)};
/// By the statistics of groups of channels.
template <class Options, int Axes>
constexpr op_descriptor channel_norm() {
  return {
      .infer_shape = &channel_norm_shape_rule<Options, Axes>,
      .weights = op_weights::in_float,
      .parameters = &channel_norm_parameters<Options>,
      .schedule = in_order(kernel_layout::nchw, kernel::layer_norm, &channel_norm_sizes<Options>)};
}
inline constexpr op_descriptor group_norm = channel_norm<group_norm_options, 0>();
inline constexpr op_descriptor functional_group_norm{.keeps_memory_order = true,
                                                     .weights = op_weights::in_float};
template <int Axes>
constexpr op_descriptor instance_norm_of(bool keeps_memory_order) {
  op_descriptor d = channel_norm<instance_norm_options, Axes>();
  d.keeps_memory_order = keeps_memory_order;
  d.on_integers = on_integers::own_scale;
  return d;
}
inline constexpr op_descriptor instance_norm = instance_norm_of<3>(false);
inline constexpr op_descriptor instance_norm3d = instance_norm_of<5>(false);
inline constexpr op_descriptor instance_norm2d = instance_norm_of<4>(true);
inline constexpr op_descriptor functional_instance_norm{.keeps_memory_order = true,
                                                        .weights = op_weights::in_float,
                                                        .on_integers = on_integers::own_scale};

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
inline constexpr op_descriptor functional_prelu{.weights = op_weights::in_float};

}  // namespace ctq::descriptors

CTQ_NORMS(CTQ_DESCRIBE_OP)
