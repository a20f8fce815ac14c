// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"

// Functions of one number, in float32 as PyTorch defines them: NaN stays NaN. (The builtins are
// those of <cmath>, which takes longer to read than all ops.)

namespace ctq {

struct relu_options {
  flag inplace = false;  // without effect: values are never changed under another reader
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

struct clamp_options {
  float min = -__builtin_huge_valf();
  float max = __builtin_huge_valf();
};

}  // namespace ctq

// clang-format off
#define CTQ_ACTIVATIONS(OP) \
  OP(nn, module_op, relu, "torch.nn.ReLU", relu_options, relu) \
  OP(fn, function_op, relu, "torch.nn.functional.relu", relu_options, relu) \
  OP(nn, module_op, relu6, "torch.nn.ReLU6", relu_options, relu6) \
  OP(fn, function_op, relu6, "torch.nn.functional.relu6", relu_options, relu6) \
  OP(nn, module_op, leaky_relu, "torch.nn.LeakyReLU", leaky_relu_options, leaky_relu) \
  OP(fn, function_op, leaky_relu, "torch.nn.functional.leaky_relu", leaky_relu_options, leaky_relu) \
  OP(nn, module_op, prelu, "torch.nn.PReLU", no_options, prelu) \
  OP(nn, module_op, elu, "torch.nn.ELU", elu_options, elu) \
  OP(fn, function_op, elu, "torch.nn.functional.elu", elu_options, elu) \
  OP(nn, module_op, selu, "torch.nn.SELU", no_options, none) \
  OP(fn, function_op, selu, "torch.nn.functional.selu", no_options, none) \
  OP(nn, module_op, gelu, "torch.nn.GELU", no_options, none) \
  OP(fn, function_op, gelu, "torch.nn.functional.gelu", no_options, none) \
  OP(nn, module_op, silu, "torch.nn.SiLU", no_options, none) \
  OP(fn, function_op, silu, "torch.nn.functional.silu", no_options, none) \
  OP(nn, module_op, mish, "torch.nn.Mish", no_options, none) \
  OP(fn, function_op, mish, "torch.nn.functional.mish", no_options, none) \
  OP(nn, module_op, softplus, "torch.nn.Softplus", no_options, none) \
  OP(fn, function_op, softplus, "torch.nn.functional.softplus", no_options, none) \
  OP(nn, module_op, hardswish, "torch.nn.Hardswish", relu_options, hardswish) \
  OP(fn, function_op, hardswish, "torch.nn.functional.hardswish", relu_options, hardswish) \
  OP(nn, module_op, hardsigmoid, "torch.nn.Hardsigmoid", relu_options, hardsigmoid) \
  OP(fn, function_op, hardsigmoid, "torch.nn.functional.hardsigmoid", relu_options, hardsigmoid) \
  OP(method, method_op, hardsigmoid, "hardsigmoid", no_options, hardsigmoid) \
  OP(nn, module_op, hardtanh, "torch.nn.Hardtanh", hardtanh_options, hardtanh) \
  OP(fn, function_op, hardtanh, "torch.nn.functional.hardtanh", hardtanh_options, hardtanh) \
  OP(nn, module_op, sigmoid, "torch.nn.Sigmoid", no_options, sigmoid) \
  OP(fn, function_op, sigmoid, "torch.sigmoid", no_options, sigmoid) \
  OP(method, method_op, sigmoid, "sigmoid", no_options, sigmoid) \
  OP(nn, module_op, log_sigmoid, "torch.nn.LogSigmoid", no_options, none) \
  OP(fn, function_op, log_sigmoid, "torch.nn.functional.logsigmoid", no_options, none) \
  OP(nn, module_op, softmax, "torch.nn.Softmax", no_options, softmax) \
  OP(nn, module_op, log_softmax, "torch.nn.LogSoftmax", no_options, none) \
  OP(fn, function_op, log_softmax, "torch.nn.functional.log_softmax", no_options, none) \
  OP(fn, function_op, torch_log_softmax, "torch.log_softmax", no_options, none) \
  OP(nn, module_op, tanh, "torch.nn.Tanh", no_options, tanh) \
  OP(fn, function_op, tanh, "torch.tanh", no_options, tanh) \
  OP(method, method_op, tanh, "tanh", no_options, tanh) \
  OP(fn, function_op, leaky_relu_, "torch.nn.functional.leaky_relu_", no_options, none) \
  OP(method, method_op, leaky_relu, "leaky_relu", no_options, none) \
  OP(fn, function_op, prelu, "torch.nn.functional.prelu", no_options, functional_prelu) \
  OP(fn, function_op, functional_sigmoid, "torch.nn.functional.sigmoid", no_options, none) \
  OP(fn, function_op, functional_tanh, "torch.nn.functional.tanh", no_options, none) \
  OP(fn, function_op, softmax, "torch.nn.functional.softmax", no_options, none) \
  OP(fn, function_op, torch_softmax, "torch.softmax", no_options, none) \
  OP(method, method_op, softmax, "softmax", no_options, none) \
  OP(fn, function_op, hardtanh_, "torch.nn.functional.hardtanh_", no_options, hardtanh_in_place) \
  OP(fn, function_op, clamp, "torch.clamp", clamp_options, clamp) \
  OP(method, method_op, clamp, "clamp", clamp_options, clamp) \
  OP(fn, function_op, torch_relu, "torch.relu", no_options, torch_relu) \
  OP(method, method_op, hardsigmoid_, "hardsigmoid_", no_options, hardsigmoid_in_place) \
  OP(method, method_op, relu, "relu", no_options, relu) \
  OP(method, method_op, relu_, "relu_", no_options, relu_in_place) \
  OP(method, method_op, sigmoid_, "sigmoid_", no_options, sigmoid_in_place) \
  OP(method, method_op, tanh_, "tanh_", no_options, tanh_in_place)
// clang-format on

CTQ_ACTIVATIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// As std::clamp, but hi wins where lo is above it, and NaN stays.
constexpr float clamp(float x, float lo, float hi) noexcept {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}
constexpr float relu(float x) noexcept { return x < 0.0F ? 0.0F : x; }
constexpr float relu6(float x) noexcept { return clamp(x, 0.0F, 6.0F); }
constexpr float hardsigmoid(float x) noexcept { return relu6(x + 3.0F) / 6.0F; }
constexpr float hardswish(float x) noexcept { return x * relu6(x + 3.0F) / 6.0F; }
inline float sigmoid(float x) noexcept { return 1.0F / (1.0F + __builtin_expf(-x)); }
inline float tanh(float x) noexcept { return __builtin_tanhf(x); }
constexpr float leaky_relu(float x, const leaky_relu_options& o) noexcept {
  return x > 0.0F ? x : x * o.negative_slope;
}
inline float elu(float x, const elu_options& o) noexcept {
  return x > 0.0F ? x : o.alpha * __builtin_expm1f(x);
}
constexpr float hardtanh(float x, const hardtanh_options& o) noexcept {
  return clamp(x, o.min_val, o.max_val);
}
constexpr float clamp_to(float x, const clamp_options& o) noexcept {
  return clamp(x, o.min, o.max);
}

}  // namespace functions

inline constexpr op_descriptor relu{.infer_shape = &same_shape,
                                    .functions = elementwise<functions::relu>,
                                    .is_relu = true,
                                    .keeps_memory_order = true,
                                    .on_integers = on_integers::input_scale,
                                    .gives_any_scale = true,
                                    .module_form = &nn::op_relu::info,
                                    .schedule = in_any_order(kernel::relu)};
/// PyTorch has no form of torch.relu on integers; one goes into the op before it all the same.
inline constexpr op_descriptor torch_relu =
    with(relu, [](op_descriptor& d) { d.on_integers = on_integers::none; });
inline constexpr op_descriptor relu_in_place = only_traced(relu);

/// A function of one number whose output has this scale.
constexpr op_descriptor activation(const op_functions& functions, ctq::on_integers scale) {
  return {.infer_shape = &same_shape,
          .functions = functions,
          .keeps_memory_order = true,
          .on_integers = scale,
          .gives_any_scale = true,
          .schedule = {.how = schedule_as::function}};
}
constexpr op_descriptor clamping(const op_functions& functions) {
  return with(activation(functions, on_integers::input_scale),
              [](op_descriptor& d) { d.is_clamp = true; });
}

inline constexpr op_descriptor relu6 = clamping(elementwise<functions::relu6>);
inline constexpr op_descriptor hardtanh =
    clamping(elementwise<functions::hardtanh, hardtanh_options>);
inline constexpr op_descriptor hardtanh_in_place = only_traced(hardtanh);
inline constexpr op_descriptor clamp = clamping(elementwise<functions::clamp_to, clamp_options>);

inline constexpr op_descriptor leaky_relu =
    with(activation(elementwise<functions::leaky_relu, leaky_relu_options>, on_integers::own_scale),
         [](op_descriptor& d) { d.module_form = &nn::op_leaky_relu::info; });
inline constexpr op_descriptor elu =
    with(activation(elementwise<functions::elu, elu_options>, on_integers::own_scale),
         [](op_descriptor& d) { d.keeps_memory_order = false; });
inline constexpr op_descriptor hardswish =
    activation(elementwise<functions::hardswish>, on_integers::own_scale);

inline constexpr op_descriptor hardsigmoid =
    activation(elementwise<functions::hardsigmoid>, on_integers::from_0_to_1);
inline constexpr op_descriptor hardsigmoid_in_place = only_traced(hardsigmoid);
inline constexpr op_descriptor sigmoid =
    activation(elementwise<functions::sigmoid>, on_integers::from_0_to_1);
inline constexpr op_descriptor sigmoid_in_place = only_traced(sigmoid);
inline constexpr op_descriptor tanh =
    with(activation(elementwise<functions::tanh>, on_integers::from_neg1_to_1),
         [](op_descriptor& d) { d.module_form = &nn::op_tanh::info; });
inline constexpr op_descriptor tanh_in_place = only_traced(tanh);
inline constexpr op_descriptor softmax{.keeps_memory_order = true,
                                       .on_integers = on_integers::from_0_to_1};

inline constexpr op_descriptor prelu{.keeps_memory_order = true,
                                     .weights = op_weights::in_float,
                                     .on_integers = on_integers::own_scale};
inline constexpr op_descriptor functional_prelu{.weights = op_weights::in_float};

}  // namespace ctq::descriptors

CTQ_ACTIVATIONS(CTQ_DESCRIBE_OP)
