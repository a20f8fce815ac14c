// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/operands.hpp"
#include "ctq/ops/builtin_ops.hpp"

// Functions of one element each, in float32. NaN stays NaN.

namespace ctq::float_ops {

template <class F>
[[nodiscard]] tensor map(const tensor& in, F f) {
  tensor out = in;
  for (float& x : out.data) x = f(x);
  return out;
}

/// Functions of one number beside those of ops/activations.hpp.
namespace activation {

using namespace descriptors::functions;

inline float silu(float x) noexcept { return x / (1.0F + std::exp(-x)); }
inline float mish(float x) noexcept { return x * std::tanh(std::log1p(std::exp(x))); }
inline float log_sigmoid(float x) noexcept {
  return (x < 0.0F ? x : 0.0F) - std::log1p(std::exp(-std::abs(x)));
}
inline float gelu(float x) noexcept { return x * 0.5F * (1.0F + std::erf(x * 0.70710678F)); }
inline float gelu_tanh(float x) noexcept {
  const float inner = 0.79788456F * (x + no_contract(0.044715F * x * x * x));
  return 0.5F * x * (1.0F + std::tanh(inner));
}
inline float selu(float x) noexcept {
  return 1.05070099F * (x > 0.0F ? x : 1.67326324F * std::expm1(x));
}
inline float square(float x) noexcept { return x * x; }
inline float exp(float x) noexcept { return std::exp(x); }
inline float log(float x) noexcept { return std::log(x); }
inline float sqrt(float x) noexcept { return std::sqrt(x); }
inline float rsqrt(float x) noexcept { return 1.0F / std::sqrt(x); }
inline float abs(float x) noexcept { return std::abs(x); }
inline float neg(float x) noexcept { return -x; }

}  // namespace activation

namespace meaning {

template <float (*F)(float)>
result<value> each(operands& from) {
  const tensor& in = from.floats("input");
  if (from.failed()) return from.failure();
  return value(map(in, F));
}

/// x, or x * slope where it is negative.
inline result<value> leaky_relu(operands& from) {
  const tensor& in = from.floats("input");
  const auto slope = static_cast<float>(from.real("negative_slope"));
  if (from.failed()) return from.failure();
  return value(map(in, [=](float x) { return activation::leaky_relu(x, {slope}); }));
}

/// x, or alpha * (exp(x) - 1) where it is not positive.
inline result<value> elu(operands& from) {
  const tensor& in = from.floats("input");
  const auto alpha = static_cast<float>(from.real("alpha"));
  if (from.failed()) return from.failure();
  return value(map(in, [=](float x) { return activation::elu(x, {alpha}); }));
}

inline result<value> hardtanh(operands& from) {
  const tensor& in = from.floats("input");
  const auto lo = static_cast<float>(from.real("min_val"));
  const auto hi = static_cast<float>(from.real("max_val"));
  if (from.failed()) return from.failure();
  return value(map(in, [=](float x) { return activation::clamp(x, lo, hi); }));
}

inline result<value> clamp(operands& from) {
  const tensor& in = from.floats("input");
  constexpr double inf = HUGE_VAL;
  const auto lo = static_cast<float>(from.is_none("min") ? -inf : from.real("min"));
  const auto hi = static_cast<float>(from.is_none("max") ? inf : from.real("max"));
  if (from.failed()) return from.failure();
  return value(map(in, [=](float x) { return activation::clamp(x, lo, hi); }));
}

inline result<value> softplus(operands& from) {
  const tensor& in = from.floats("input");
  const auto beta = static_cast<float>(from.real("beta"));
  const auto threshold = static_cast<float>(from.real("threshold"));
  if (from.failed()) return from.failure();
  return value(map(in, [=](float x) {
    return x * beta > threshold ? x : std::log1p(std::exp(x * beta)) / beta;
  }));
}

inline result<value> gelu(operands& from) {
  const tensor& in = from.floats("input");
  const std::string approximate = from.text("approximate");
  from.require(approximate == "none" || approximate == "tanh", "approximate is none or tanh");
  if (from.failed()) return from.failure();
  return value(map(in, approximate == "tanh" ? activation::gelu_tanh : activation::gelu));
}

/// x, or x * weight where it is negative: one weight for all, or one a channel (axis 1).
inline result<value> prelu(operands& from) {
  tensor out = from.floats("input");
  const tensor& weight = from.floats("weight");
  const std::size_t slopes = weight.data.size();
  const std::size_t channels = rank(out.shape) < 2 ? 1 : static_cast<std::size_t>(out.shape[1]);
  from.require(slopes == 1 || (slopes != 0 && slopes == channels),
               "needs one weight, or one a channel");
  if (from.failed()) return from.failure();
  std::size_t pixels = 1;
  for (std::size_t a = 2; a < out.shape.size(); ++a)
    pixels *= static_cast<std::size_t>(out.shape[a]);
  for (std::size_t i = 0; i < out.data.size(); ++i) {
    float& x = out.data[i];
    if (!(x > 0.0F)) x *= weight.data[slopes == 1 ? 0 : i / pixels % slopes];
  }
  return value(std::move(out));
}

/// Dropout, identity, contiguous, detach: nothing happens to values that never change.
inline result<value> nothing(operands& from) {
  const value in = from.any("input");
  if (from.failed()) return from.failure();
  return in;
}

inline constexpr std::string_view inplace = "input, inplace=False";
inline constexpr std::string_view inplace_module = "input, *, inplace=False";
inline constexpr std::string_view dropout_module = "input, *, p=0.5, inplace=False";
inline constexpr std::string_view dropout_function = "input, p=0.5, training=True, inplace=False";
inline constexpr std::string_view any_arguments = "input, *arguments";

inline constexpr op_meaning activations[] = {
    {nn::relu.id(), inplace_module, each<activation::relu>},
    {fn::relu.id(), inplace, each<activation::relu>},
    {fn::torch_relu.id(), "input", each<activation::relu>},
    {method::relu.id(), "input", each<activation::relu>},
    {method::relu_.id(), "input", each<activation::relu>},
    {nn::relu6.id(), inplace_module, each<activation::relu6>},
    {fn::relu6.id(), inplace, each<activation::relu6>},
    {nn::hardsigmoid.id(), inplace_module, each<activation::hardsigmoid>},
    {fn::hardsigmoid.id(), inplace, each<activation::hardsigmoid>},
    {method::hardsigmoid.id(), "input", each<activation::hardsigmoid>},
    {method::hardsigmoid_.id(), "input", each<activation::hardsigmoid>},
    {nn::hardswish.id(), inplace_module, each<activation::hardswish>},
    {fn::hardswish.id(), inplace, each<activation::hardswish>},
    {nn::selu.id(), inplace_module, each<activation::selu>},
    {fn::selu.id(), inplace, each<activation::selu>},
    {nn::silu.id(), inplace_module, each<activation::silu>},
    {fn::silu.id(), inplace, each<activation::silu>},
    {nn::mish.id(), inplace_module, each<activation::mish>},
    {fn::mish.id(), inplace, each<activation::mish>},
    {nn::log_sigmoid.id(), "input", each<activation::log_sigmoid>},
    {fn::log_sigmoid.id(), "input", each<activation::log_sigmoid>},
    {fn::functional_sigmoid.id(), "input", each<activation::sigmoid>},
    {fn::functional_tanh.id(), "input", each<activation::tanh>},
    {nn::sigmoid.id(), "input", each<activation::sigmoid>},
    {fn::sigmoid.id(), "input", each<activation::sigmoid>},
    {method::sigmoid.id(), "input", each<activation::sigmoid>},
    {method::sigmoid_.id(), "input", each<activation::sigmoid>},
    {nn::tanh.id(), "input", each<activation::tanh>},
    {fn::tanh.id(), "input", each<activation::tanh>},
    {method::tanh.id(), "input", each<activation::tanh>},
    {method::tanh_.id(), "input", each<activation::tanh>},
    {nn::leaky_relu.id(), "input, *, negative_slope=0.01, inplace=False", leaky_relu},
    {fn::leaky_relu.id(), "input, negative_slope=0.01, inplace=False", leaky_relu},
    {fn::leaky_relu_.id(), "input, negative_slope=0.01", leaky_relu},
    {method::leaky_relu.id(), "input, negative_slope=0.01", leaky_relu},
    {nn::elu.id(), "input, *, alpha=1.0, inplace=False", elu},
    {fn::elu.id(), "input, alpha=1.0, inplace=False", elu},
    {nn::hardtanh.id(), "input, *, min_val=-1.0, max_val=1.0, inplace=False", hardtanh},
    {fn::hardtanh.id(), "input, min_val=-1.0, max_val=1.0, inplace=False", hardtanh},
    {fn::hardtanh_.id(), "input, min_val=-1.0, max_val=1.0", hardtanh},
    {fn::clamp.id(), "input, min=None, max=None", clamp},
    {method::clamp.id(), "input, min=None, max=None", clamp},
    {nn::prelu.id(), "input, *, weight", prelu},
    {fn::prelu.id(), "input, weight", prelu},
    {nn::gelu.id(), "input, *, approximate='none'", gelu},
    {fn::gelu.id(), "input, *, approximate='none'", gelu},
    {nn::softplus.id(), "input, *, beta=1, threshold=20", softplus},
    {fn::softplus.id(), "input, beta=1, threshold=20", softplus},
    {fn::exp.id(), "input", each<activation::exp>},
    {method::exp.id(), "input", each<activation::exp>},
    {fn::log.id(), "input", each<activation::log>},
    {method::log.id(), "input", each<activation::log>},
    {fn::sqrt.id(), "input", each<activation::sqrt>},
    {method::sqrt.id(), "input", each<activation::sqrt>},
    {fn::rsqrt.id(), "input", each<activation::rsqrt>},
    {fn::square.id(), "input", each<activation::square>},
    {fn::abs.id(), "input", each<activation::abs>},
    {method::abs.id(), "input", each<activation::abs>},
    {fn::neg.id(), "input", each<activation::neg>},
    {method::neg.id(), "input", each<activation::neg>},
    {nn::identity.id(), any_arguments, nothing},
    {nn::dropout.id(), dropout_module, nothing},
    {nn::dropout1d.id(), dropout_module, nothing},
    {nn::dropout2d.id(), dropout_module, nothing},
    {nn::dropout3d.id(), dropout_module, nothing},
    {fn::dropout.id(), dropout_function, nothing},
    {fn::dropout1d.id(), dropout_function, nothing},
    {fn::dropout2d.id(), dropout_function, nothing},
    {fn::dropout3d.id(), dropout_function, nothing},
    {fn::torch_dropout.id(), "input, p, train", nothing},
    {method::contiguous.id(), "input, memory_format=None", nothing},
    {method::detach.id(), "input", nothing},
    {method::detach_.id(), "input", nothing},
};

}  // namespace meaning
}  // namespace ctq::float_ops
