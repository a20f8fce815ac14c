// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/rows/exponential_functions.hpp"

// Functions of one number, as PyTorch defines them: NaN stays NaN. (Builtins, here and in
// in_float/, are those of <cmath>, which takes longer to compile than all ops.)

namespace ctq {

struct relu_options {
  flag inplace = false;  // without effect: values are immutable
};

struct leaky_relu_options {
  float negative_slope = 0.01F;
  flag inplace = false;
};

struct elu_options {
  float alpha = 1.0F;
  flag inplace = false;
};

struct hardtanh_options {
  float min_val = -1.0F;
  float max_val = 1.0F;
  flag inplace = false;
};

/// Without a dim PyTorch takes the first axis of tensors with 1 or 3 axes, else the second.
struct softmax_options {
  static constexpr int no_dim = -100;

  int dim = no_dim;
};

struct clamp_options {
  float min = -__builtin_huge_valf();
  float max = __builtin_huge_valf();
};

}  // namespace ctq

// clang-format off
#define CTQ_ACTIVATIONS(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, relu, "ReLU", relu_options, relu) \
  OP(fn, function_op, torch_relu, "torch.relu", no_options, torch_relu) \
  OP(method, method_op, relu, "relu", no_options, relu) \
  OP(method, method_op, relu_, "relu_", no_options, relu_in_place) \
  CTQ_MODULE_AND_FUNCTION(OP, relu6, "ReLU6", relu_options, relu6) \
  CTQ_MODULE_AND_FUNCTION(OP, leaky_relu, "LeakyReLU", leaky_relu_options, leaky_relu) \
  OP(fn, function_op, leaky_relu_, "torch.nn.functional.leaky_relu_", leaky_relu_options, leaky_relu_in_place) \
  OP(method, method_op, leaky_relu, "leaky_relu", leaky_relu_options, method_leaky_relu) \
  CTQ_MODULE_AND_FUNCTION(OP, elu, "ELU", elu_options, elu) \
  CTQ_MODULE_AND_FUNCTION(OP, hardswish, "Hardswish", relu_options, hardswish) \
  CTQ_MODULE_AND_FUNCTION(OP, hardsigmoid, "Hardsigmoid", relu_options, hardsigmoid) \
  OP(method, method_op, hardsigmoid, "hardsigmoid", no_options, hardsigmoid) \
  OP(method, method_op, hardsigmoid_, "hardsigmoid_", no_options, hardsigmoid_in_place) \
  CTQ_MODULE_AND_FUNCTION(OP, hardtanh, "Hardtanh", hardtanh_options, hardtanh) \
  OP(fn, function_op, hardtanh_, "torch.nn.functional.hardtanh_", hardtanh_options, hardtanh_in_place) \
  CTQ_FUNCTION_AND_METHOD(OP, clamp, clamp_options, clamp) \
  OP(nn, module_op, sigmoid, "torch.nn.Sigmoid", no_options, sigmoid) \
  OP(fn, function_op, functional_sigmoid, "torch.nn.functional.sigmoid", no_options, functional_sigmoid) \
  CTQ_FUNCTION_AND_METHOD(OP, sigmoid, no_options, sigmoid) \
  OP(method, method_op, sigmoid_, "sigmoid_", no_options, sigmoid_in_place) \
  OP(nn, module_op, tanh, "torch.nn.Tanh", no_options, tanh) \
  OP(fn, function_op, functional_tanh, "torch.nn.functional.tanh", no_options, functional_tanh) \
  CTQ_FUNCTION_AND_METHOD(OP, tanh, no_options, tanh) \
  OP(method, method_op, tanh_, "tanh_", no_options, tanh_in_place) \
  OP(nn, module_op, softmax, "torch.nn.Softmax", softmax_options, softmax) \
  OP(fn, function_op, softmax, "torch.nn.functional.softmax", softmax_options, float_softmax)
// clang-format on

CTQ_ACTIVATIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {
/// As std::clamp, but the result is hi if lo is above it, and NaN stays NaN.
constexpr float clamp(float x, float lo, float hi) noexcept {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}
constexpr float relu(float x) noexcept { return x < 0.0F ? 0.0F : x; }
constexpr float relu6(float x) noexcept { return clamp(x, 0.0F, 6.0F); }
constexpr float hardsigmoid(float x) noexcept { return relu6(x + 3.0F) / 6.0F; }
constexpr float hardswish(float x) noexcept { return x * relu6(x + 3.0F) / 6.0F; }
constexpr float leaky_relu(float x, const leaky_relu_options& o) noexcept {
  return x > 0.0F ? x : x * o.negative_slope;
}
inline float elu(float x, const elu_options& o) noexcept {
  return double_lanes::value_of(x, double_lanes::elu{1.0, static_cast<double>(o.alpha), 1.0});
}
constexpr float hardtanh(float x, const hardtanh_options& o) noexcept {
  return clamp(x, o.min_val, o.max_val);
}
constexpr float clamp_to(float x, const clamp_options& o) noexcept {
  return clamp(x, o.min, o.max);
}

}  // namespace functions

/// The derivatives that PyTorch's kernels compute: at a kink, the derivative on one side.
namespace slopes {

constexpr float relu(float x) noexcept { return x > 0.0F ? 1.0F : 0.0F; }
constexpr float between(float x, float lo, float hi) noexcept {
  return x > lo && x < hi ? 1.0F : 0.0F;
}
constexpr float relu6(float x) noexcept { return between(x, 0.0F, 6.0F); }
constexpr float hardtanh(float x, const hardtanh_options& o) noexcept {
  return between(x, o.min_val, o.max_val);
}
constexpr float clamp_to(float x, const clamp_options& o) noexcept {
  return x >= o.min && x <= o.max ? 1.0F : 0.0F;
}
constexpr float hardsigmoid(float x) noexcept { return between(x, -3.0F, 3.0F) / 6.0F; }
constexpr float hardswish(float x) noexcept {
  return x < -3.0F ? 0.0F : x <= 3.0F ? x / 3.0F + 0.5F : 1.0F;
}
constexpr float leaky_relu(float x, const leaky_relu_options& o) noexcept {
  return x > 0.0F ? 1.0F : o.negative_slope;
}
inline float sigmoid(float x) noexcept {
  const float y = functions::sigmoid(x);
  return y * (1.0F - y);
}
inline float tanh(float x) noexcept {
  const float y = functions::tanh(x);
  return (1.0F - y) * (1.0F + y);
}
inline float elu(float x, const elu_options& o) noexcept {
  return x > 0.0F ? 1.0F : o.alpha * functions::exp(x);
}

}  // namespace slopes

inline constexpr op_descriptor relu{.infer_shape = &same_shape,
                                    .functions = differentiable<functions::relu, slopes::relu>,
                                    .is_relu = true,
                                    .keeps_memory_order = true,
                                    .on_integers = on_integers::input_scale,
                                    .gives_any_scale = true,
                                    .module_form = &nn::info_relu,
                                    .schedule = in_any_order(kernel::relu)};
/// PyTorch has no integer form of torch.relu, but fuses it with the op before it.
inline constexpr op_descriptor torch_relu =
    with(relu, [](op_descriptor& d) { d.on_integers = on_integers::none; });
inline constexpr op_descriptor relu_in_place = in_place(relu);

/// A function of one number whose output has this scale.
constexpr op_descriptor activation(const op_functions& functions, ctq::on_integers scale) {
  return {.infer_shape = &same_shape,
          .functions = functions,
          .keeps_memory_order = true,
          .on_integers = scale,
          .gives_any_scale = true,
          .schedule = {.how = schedule_as::function}};
}
/// Whether both bounds are integers; one that is not given is infinite.
constexpr bool has_integer_bounds(const attributes& a) {
  const auto o = a.as<clamp_options>();
  return (o.min == clamp_options{}.min || is_integer(o.min)) &&
         (o.max == clamp_options{}.max || is_integer(o.max));
}
constexpr op_descriptor clamping(const op_functions& functions) {
  return with(activation(functions, on_integers::input_scale),
              [](op_descriptor& d) { d.is_clamp = true; });
}

inline constexpr op_descriptor relu6 = clamping(differentiable<functions::relu6, slopes::relu6>);
inline constexpr op_descriptor hardtanh =
    clamping(differentiable<functions::hardtanh, slopes::hardtanh, hardtanh_options>);
inline constexpr op_descriptor hardtanh_in_place = in_place(hardtanh);
inline constexpr op_descriptor clamp = keeping_integers_with<&has_integer_bounds>(
    clamping(differentiable<functions::clamp_to, slopes::clamp_to, clamp_options>));

constexpr op_descriptor with_module(op_descriptor d, op_id module_form) {
  d.module_form = module_form;
  return d;
}
inline constexpr op_descriptor leaky_relu = with_module(
    activation(differentiable<functions::leaky_relu, slopes::leaky_relu, leaky_relu_options>,
               on_integers::own_scale),
    &nn::info_leaky_relu);
inline constexpr op_descriptor elu = with(
    activation(differentiable<functions::elu, slopes::elu, elu_options>, on_integers::own_scale),
    [](op_descriptor& d) { d.keeps_memory_order = false; });
inline constexpr op_descriptor hardswish =
    activation(differentiable<functions::hardswish, slopes::hardswish>, on_integers::own_scale);

inline constexpr op_descriptor hardsigmoid = activation(
    differentiable<functions::hardsigmoid, slopes::hardsigmoid>, on_integers::from_0_to_1);
inline constexpr op_descriptor hardsigmoid_in_place = in_place(hardsigmoid);
inline constexpr op_descriptor sigmoid =
    activation(differentiable<functions::sigmoid, slopes::sigmoid>, on_integers::from_0_to_1);
inline constexpr op_descriptor sigmoid_in_place = in_place(sigmoid);
inline constexpr op_descriptor tanh = with_module(
    activation(differentiable<functions::tanh, slopes::tanh>, on_integers::from_neg1_to_1),
    &nn::info_tanh);
inline constexpr op_descriptor tanh_in_place = in_place(tanh);
/// XNNPACK quantizes it; PyTorch 1.13 leaves it in float.
inline constexpr op_descriptor method_leaky_relu = since_2_1(with_module(leaky_relu, nullptr));
inline constexpr op_descriptor leaky_relu_in_place = in_place(method_leaky_relu);
inline constexpr op_descriptor functional_sigmoid{.functions = sigmoid.functions};
inline constexpr op_descriptor functional_tanh{.functions = tanh.functions};

constexpr shape softmax_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<softmax_options>();
  const int rank = in[0].rank;
  if (o.dim == softmax_options::no_dim) o.dim = rank == 1 || rank == 3 ? 0 : 1;
  if (!shape_rules::settle_axis(d, "dim", o.dim, rank)) return {};
  a = attributes{o};
  return in[0];
}

template <bool Logarithm>
constexpr kernel_signature::sizes softmax_sizes(attributes a, shape in, shape) {
  const int dim = a.as<softmax_options>().dim;
  softmax_shape s{.rows = 1, .count = in[dim], .logarithm = Logarithm ? 1 : 0};
  for (int axis = 0; axis < in.rank; ++axis) {
    if (axis != dim) s.rows *= in[axis];
    if (axis > dim) s.stride *= in[axis];
  }
  return to_block<kernel_signature::sizes>(s);
}

inline constexpr op_descriptor float_softmax{
    .infer_shape = &softmax_shape_rule,
    .schedule = in_order(kernel_layout::nchw, kernel::softmax, &softmax_sizes<false>)};
inline constexpr op_descriptor softmax{.infer_shape = &softmax_shape_rule,
                                       .keeps_memory_order = true,
                                       .on_integers = on_integers::from_0_to_1,
                                       .schedule = float_softmax.schedule};

}  // namespace ctq::descriptors

CTQ_ACTIVATIONS(CTQ_DESCRIBE_OP)
