// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/rows/double_lanes.hpp"
#include "ctq/ops/rows/exponential_functions.hpp"
#include "ctq/ops/rows/smooth_activations.hpp"

// Activations that PyTorch's backends leave in float.

namespace ctq {

struct softplus_options {
  float beta = 1.0F;
  float threshold = 20.0F;  // of beta x, above which the function is x
};

enum class gelu_rule : int { none, tanh };
inline constexpr std::string_view gelu_rule_names[] = {"none", "tanh"};
inline constexpr option_words_of gelu_rule_words{"gelu_rule", {gelu_rule_names, 2}};

struct gelu_options {
  gelu_rule approximate = gelu_rule::none;
};

struct threshold_options {
  float threshold{};
  float value{};  // replaces inputs that are not above the threshold
  flag inplace = false;
};

/// Inputs from -lambd to lambd become 0.
struct shrink_options {
  float lambd = 0.5F;
};

/// The slope of negative inputs: in inference the mean of the bounds, in training random.
struct rrelu_options {
  float lower = 1.0F / 8.0F;
  float upper = 1.0F / 3.0F;
  flag inplace = false;
};

}  // namespace ctq

// clang-format off
#define CTQ_FLOAT_ACTIVATIONS(OP) \
  OP(fn, function_op, relu_, "torch.nn.functional.relu_", no_options, functional_relu_in_place) \
  CTQ_MODULE_AND_FUNCTION(OP, selu, "SELU", relu_options, selu) \
  CTQ_MODULE_AND_FUNCTION(OP, gelu, "GELU", gelu_options, gelu) \
  CTQ_MODULE_AND_FUNCTION(OP, silu, "SiLU", relu_options, silu) \
  CTQ_MODULE_AND_FUNCTION(OP, mish, "Mish", relu_options, mish) \
  CTQ_MODULE_AND_FUNCTION(OP, softplus, "Softplus", softplus_options, softplus) \
  OP(nn, module_op, log_sigmoid, "torch.nn.LogSigmoid", no_options, log_sigmoid) \
  OP(fn, function_op, log_sigmoid, "torch.nn.functional.logsigmoid", no_options, log_sigmoid) \
  OP(fn, function_op, torch_softmax, "torch.softmax", softmax_options, float_softmax) \
  OP(method, method_op, softmax, "softmax", softmax_options, float_softmax) \
  CTQ_MODULE_AND_FUNCTION(OP, log_softmax, "LogSoftmax", softmax_options, log_softmax) \
  OP(fn, function_op, torch_log_softmax, "torch.log_softmax", softmax_options, log_softmax) \
  OP(method, method_op, log_softmax, "log_softmax", softmax_options, log_softmax) \
  OP(nn, module_op, softmax2d, "torch.nn.Softmax2d", no_options, softmax2d) \
  CTQ_MODULE_AND_FUNCTION(OP, celu, "CELU", elu_options, celu) \
  CTQ_MODULE_AND_FUNCTION(OP, softsign, "Softsign", no_options, softsign) \
  CTQ_MODULE_AND_FUNCTION(OP, threshold, "Threshold", threshold_options, threshold) \
  OP(fn, function_op, threshold_, "torch.nn.functional.threshold_", threshold_options, threshold_in_place) \
  OP(fn, function_op, torch_threshold, "torch.threshold", threshold_options, threshold) \
  CTQ_MODULE_AND_FUNCTION(OP, hardshrink, "Hardshrink", shrink_options, hardshrink) \
  OP(method, method_op, hardshrink, "hardshrink", shrink_options, hardshrink) \
  CTQ_MODULE_AND_FUNCTION(OP, softshrink, "Softshrink", shrink_options, softshrink) \
  CTQ_MODULE_AND_FUNCTION(OP, tanhshrink, "Tanhshrink", no_options, tanhshrink) \
  CTQ_MODULE_AND_FUNCTION(OP, rrelu, "RReLU", rrelu_options, rrelu)
// clang-format on

CTQ_FLOAT_ACTIVATIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// Formula: of double_lanes
template <class Formula, class Isa>
void apply_in_double(const op_arguments<float>& x, const attributes&) noexcept {
  double_lanes::for_row<Isa, Formula>(x.in[0].data, x.out.size(), x.out.data);
}
template <class Isa>
void apply_gelu(const op_arguments<float>& x, const attributes& a) noexcept {
  const bool by_tanh = a.as<gelu_options>().approximate == gelu_rule::tanh;
  (by_tanh ? apply_in_double<double_lanes::gelu_tanh, Isa>
           : apply_in_double<double_lanes::gelu, Isa>)(x, a);
}
inline float log_sigmoid(float x) noexcept {
  return (x < 0.0F ? x : 0.0F) - __builtin_log1pf(__builtin_expf(-__builtin_fabsf(x)));
}
inline float selu(float x) noexcept {
  constexpr double scale = 1.0507009873554805, alpha = 1.6732632423543772;
  return double_lanes::value_of(x, double_lanes::elu{scale, scale * alpha, 1.0});
}
inline float celu(float x, const elu_options& o) noexcept {
  const auto alpha = static_cast<double>(o.alpha);
  return double_lanes::value_of(x, double_lanes::elu{1.0, alpha, alpha});
}
inline float softplus(float x, const softplus_options& o) noexcept {
  return x * o.beta > o.threshold ? x : __builtin_log1pf(__builtin_expf(x * o.beta)) / o.beta;
}
constexpr float softsign(float x) noexcept { return x / (1.0F + (x < 0.0F ? -x : x)); }
constexpr float threshold(float x, const threshold_options& o) noexcept {
  return x <= o.threshold ? o.value : x;
}
constexpr float hardshrink(float x, const shrink_options& o) noexcept {
  return x >= -o.lambd && x <= o.lambd ? 0.0F : x;
}
constexpr float softshrink(float x, const shrink_options& o) noexcept {
  return x > o.lambd ? x - o.lambd : x < -o.lambd ? x + o.lambd : x * 0.0F;
}
inline float tanhshrink(float x) noexcept { return x - tanh(x); }
constexpr float rrelu(float x, const rrelu_options& o) noexcept {
  return x >= 0.0F ? x : x * ((o.lower + o.upper) / 2.0F);
}

}  // namespace functions

namespace slopes {

inline float silu(float x) noexcept {
  const float y = functions::sigmoid(x);
  return y * (1.0F + x * (1.0F - y));
}

}  // namespace slopes

inline constexpr op_descriptor functional_relu_in_place = in_place(torch_relu);
inline constexpr op_descriptor selu = float_activation(elementwise<functions::selu>);
inline constexpr op_descriptor silu = float_activation(
    {.tensors = 1,
     .elementwise = true,
     .apply = &functions::apply_in_double<functions::double_lanes::silu, isa::native>,
     .add_gradient = &add_slope_of_each<slopes::silu, no_options, isa::native>});
inline constexpr op_descriptor mish = float_activation(elementwise<functions::mish>);
inline constexpr op_descriptor gelu = float_activation(
    {.tensors = 1, .elementwise = true, .apply = &functions::apply_gelu<isa::native>});
inline constexpr op_descriptor log_sigmoid = float_activation(elementwise<functions::log_sigmoid>);
inline constexpr op_descriptor softplus =
    float_activation(elementwise<functions::softplus, softplus_options>);
inline constexpr op_descriptor log_softmax{
    .infer_shape = &softmax_shape_rule,
    .schedule = in_order(kernel_layout::nchw, kernel::softmax, &softmax_sizes<true>)};
/// Softmax over the channels of each pixel, with a batch axis or without.
constexpr shape softmax2d_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  const bool alone = in.count == 1 && in[0].rank == 3;
  if (!shape_rules::needs(d, in, 1, alone ? 3 : 4)) return {};
  a = attributes{softmax_options{in[0].rank - 3}};
  return in[0];
}
inline constexpr op_descriptor softmax2d = by_rule(float_softmax, &softmax2d_shape_rule);
constexpr shape celu_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (a.as<elu_options>().alpha == 0.0F) shape_rules::complain(d, "alpha is 0, a divisor");
  return same_shape(in, a, d);
}
inline constexpr op_descriptor celu =
    by_rule(float_activation(elementwise<functions::celu, elu_options>), &celu_shape_rule);
inline constexpr op_descriptor softsign = float_activation(elementwise<functions::softsign>);
inline constexpr op_descriptor threshold =
    float_activation(elementwise<functions::threshold, threshold_options>);
inline constexpr op_descriptor threshold_in_place = in_place(threshold);
inline constexpr op_descriptor hardshrink =
    float_activation(elementwise<functions::hardshrink, shrink_options>);
constexpr shape softshrink_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!(a.as<shrink_options>().lambd >= 0.0F)) shape_rules::complain(d, "lambd is not 0 or more");
  return same_shape(in, a, d);
}
inline constexpr op_descriptor softshrink = by_rule(
    float_activation(elementwise<functions::softshrink, shrink_options>), &softshrink_shape_rule);
inline constexpr op_descriptor tanhshrink = float_activation(elementwise<functions::tanhshrink>);
constexpr shape rrelu_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  const auto o = a.as<rrelu_options>();
  if (!(o.lower <= o.upper)) shape_rules::complain(d, "lower is above upper");
  return same_shape(in, a, d);
}
inline constexpr op_descriptor rrelu =
    by_rule(float_activation(elementwise<functions::rrelu, rrelu_options>), &rrelu_shape_rule);

}  // namespace ctq::descriptors

CTQ_FLOAT_ACTIVATIONS(CTQ_DESCRIBE_OP)
