// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/ops/op_descriptor.hpp"
#include "ctq/ops/shape_checks.hpp"

// Options and shapes of norms, as modules and as functions.

namespace ctq {

struct batch_norm2d_options {
  int num_features = 0;  // 0: as many as the input has
  float eps = 1e-5F;
  /// Whether it has a weight and a bias; else they are 1 and 0. An int, since a flag would take 2
  /// KB of memory to compile for each batch norm.
  int affine = 1;
};

struct layer_norm_options {
  ctq::shape normalized_shape{};  // the last axes; none: the last one
  float eps = 1e-5F;
  flag elementwise_affine = true;
};

/// The options of the function: the first ones of the module.
struct functional_layer_norm_options {
  ctq::shape normalized_shape{};  // the last axes
  float eps = 1e-5F;
};

struct group_norm_options {
  int num_groups{};
  int num_channels = 0;  // 0: as many as the input has
  float eps = 1e-5F;
  flag affine = true;
};

/// The options of the function, which takes the number of channels from its input.
struct functional_group_norm_options {
  int num_groups{};
  float eps = 1e-5F;
};

/// Normalizes with the statistics of the input.
struct instance_norm_options {
  int num_features = 0;  // 0: as many as the input has
  float eps = 1e-5F;
  flag affine = false;
  flag track_running_stats = false;  // true: no kernel
};

struct prelu_options {
  int num_parameters = 1;  // 1, or as many as there are channels
};

struct functional_instance_norm_options {
  float eps = 1e-5F;
};

}  // namespace ctq

namespace ctq::descriptors {

/// Whether a function has only x, or also a weight and a bias of this shape.
constexpr bool has_both_or_none(diagnostic& d, view<shape> in, const shape& parameters) {
  using namespace shape_rules;
  if (in.count != 1 && in.count != 3)
    return wrong_parameters(d, "takes an input, or an input, a weight and\na bias, not ", in.count,
                            " tensors");
  for (int i = 1; i < in.count; ++i)
    if (in[i] != parameters)
      return wrong_parameter(d, "requires a weight and a bias of ",
                             static_cast<int>(numel(parameters)), " elements;", in[i]);
  return !d.any();
}

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
/// Completes the options to those of the module.
constexpr shape functional_layer_norm_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  const auto given = a.as<functional_layer_norm_options>();
  const layer_norm_options o{given.normalized_shape, given.eps, in.count == 3};
  a = attributes{o};
  const shape out = layer_norm_shape_rule({in.items, in.count > 0 ? 1 : 0}, a, d);
  return d.any() || !has_both_or_none(d, in, o.normalized_shape) ? shape{} : out;
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

/// The options of functions, then what their inputs decide: together, those of modules in another
/// order.
struct completed_group_norm {
  int num_groups{};
  float eps{};
  int num_channels{};
  flag affine{};
};
struct completed_instance_norm {
  float eps{};
  int num_features{};
  flag affine{};
  flag track_running_stats = false;
};

/// The option that is the number of channels, the second axis.
template <class Options>
constexpr int& channels_of(Options& o) {
  if constexpr (requires { o.num_groups; })
    return o.num_channels;
  else
    return o.num_features;
}

/// The shape rule of group norms and instance norms, which need 2 axes or more.
template <class Options>
constexpr shape channel_norm_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  constexpr bool has_groups = requires(Options o) { o.num_groups; };
  if (!needs(d, in, 1, 0)) return {};
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
/// Axes: 2 and those of a pixel.
template <int Axes>
constexpr shape instance_norm_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, Axes)) return {};
  return channel_norm_shape_rule<instance_norm_options>(in, a, d);
}
/// The same for a function. Its options are the first ones of the completed options.
template <class Completed>
constexpr shape functional_channel_norm_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  auto o = a.as<Completed>();
  channels_of(o) = 0;
  o.affine = in.count == 3;
  a = attributes{o};
  const shape out = channel_norm_shape_rule<Completed>({in.items, in.count > 0 ? 1 : 0}, a, d);
  return d.any() || !has_both_or_none(d, in, shape{out[1]}) ? shape{} : out;
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

}  // namespace ctq::descriptors
