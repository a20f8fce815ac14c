// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/activations.hpp"
#include "ctq/ops/arithmetic.hpp"
#include "ctq/ops/define_ops.hpp"

// Functions of one number and of two that PyTorch's backends leave in float.

// clang-format off
#define CTQ_FLOAT_NUMBERS(OP) \
  OP(method, binary_method, add, "add", no_options, method_add) \
  OP(method, binary_method, add_, "add_", no_options, add_in_place) \
  OP(method, binary_method, mul, "mul", no_options, method_mul) \
  OP(method, binary_method, mul_, "mul_", no_options, mul_in_place) \
  OP(method, binary_method, sub, "sub", no_options, method_sub) \
  OP(fn, binary_op, div, "torch.div", no_options, div) \
  OP(op, binary_op, truediv, "_operator.truediv", no_options, div) \
  OP(method, binary_method, div, "div", no_options, method_div) \
  OP(fn, binary_op, rsub, "torch.rsub", no_options, rsub) \
  OP(fn, binary_op, pow, "torch.pow", no_options, pow) \
  OP(method, binary_method, pow, "pow", no_options, pow) \
  OP(op, binary_op, pow, "_operator.pow", no_options, pow) \
  CTQ_FUNCTION_AND_METHOD(OP, neg, no_options, neg) \
  OP(op, function_op, neg, "_operator.neg", no_options, neg) \
  CTQ_FUNCTION_AND_METHOD(OP, abs, no_options, abs) \
  CTQ_FUNCTION_AND_METHOD(OP, exp, no_options, exp) \
  CTQ_FUNCTION_AND_METHOD(OP, log, no_options, log) \
  CTQ_FUNCTION_AND_METHOD(OP, sqrt, no_options, sqrt) \
  CTQ_FUNCTION_AND_METHOD(OP, rsqrt, no_options, rsqrt) \
  CTQ_FUNCTION_AND_METHOD(OP, square, no_options, square) \
  CTQ_FUNCTION_AND_METHOD(OP, clip, clamp_options, clip) \
  CTQ_FUNCTION_AND_METHOD(OP, sin, no_options, sin) \
  CTQ_FUNCTION_AND_METHOD(OP, cos, no_options, cos) \
  CTQ_FUNCTION_AND_METHOD(OP, erf, no_options, erf) \
  CTQ_FUNCTION_AND_METHOD(OP, log1p, no_options, log1p) \
  CTQ_FUNCTION_AND_METHOD(OP, expm1, no_options, expm1) \
  CTQ_FUNCTION_AND_METHOD(OP, exp2, no_options, exp2) \
  CTQ_FUNCTION_AND_METHOD(OP, log2, no_options, log2) \
  CTQ_FUNCTION_AND_METHOD(OP, log10, no_options, log10) \
  CTQ_FUNCTION_AND_METHOD(OP, tan, no_options, tan) \
  CTQ_FUNCTION_AND_METHOD(OP, asin, no_options, asin) \
  CTQ_FUNCTION_AND_METHOD(OP, acos, no_options, acos) \
  CTQ_FUNCTION_AND_METHOD(OP, atan, no_options, atan) \
  CTQ_FUNCTION_AND_METHOD(OP, sinh, no_options, sinh) \
  CTQ_FUNCTION_AND_METHOD(OP, cosh, no_options, cosh) \
  CTQ_FUNCTION_AND_METHOD(OP, floor, no_options, floor) \
  CTQ_FUNCTION_AND_METHOD(OP, ceil, no_options, ceil) \
  CTQ_FUNCTION_AND_METHOD(OP, trunc, no_options, trunc) \
  CTQ_FUNCTION_AND_METHOD(OP, frac, no_options, frac) \
  CTQ_FUNCTION_AND_METHOD(OP, round, no_options, round) \
  CTQ_FUNCTION_AND_METHOD(OP, sign, no_options, sign) \
  CTQ_FUNCTION_AND_METHOD(OP, reciprocal, no_options, reciprocal) \
  OP(fn, binary_op, maximum, "torch.maximum", no_options, maximum) \
  OP(fn, binary_op, minimum, "torch.minimum", no_options, minimum)
// clang-format on

CTQ_FLOAT_NUMBERS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

constexpr float abs(float x) noexcept { return __builtin_fabsf(x); }
/// As PyTorch, by products for the exponents 2 and 3.
inline float power(float x, float exponent) noexcept {
  if (exponent == 2.0F) return x * x;
  return exponent == 3.0F ? x * x * x : __builtin_powf(x, exponent);
}
inline float pow_scalar(float x, const scalar_operand& o) noexcept {
  return o.position == 1 ? power(o.value, x) : power(x, o.value);
}
/// With the operands exchanged.
constexpr float rsub_scalar(float x, const scalar_operand& o) noexcept {
  return o.position == 1 ? x - o.value : o.value - x;
}
constexpr float neg(float x) noexcept { return -x; }
constexpr float square(float x) noexcept { return x * x; }
inline float log(float x) noexcept { return __builtin_logf(x); }
inline float sqrt(float x) noexcept { return __builtin_sqrtf(x); }
inline float rsqrt(float x) noexcept { return 1.0F / __builtin_sqrtf(x); }
inline float sin(float x) noexcept { return __builtin_sinf(x); }
inline float cos(float x) noexcept { return __builtin_cosf(x); }
inline float erf(float x) noexcept { return __builtin_erff(x); }
inline float log1p(float x) noexcept { return __builtin_log1pf(x); }
inline float expm1(float x) noexcept { return __builtin_expm1f(x); }
inline float exp2(float x) noexcept { return __builtin_exp2f(x); }
inline float log2(float x) noexcept { return __builtin_log2f(x); }
inline float log10(float x) noexcept { return __builtin_log10f(x); }
inline float tan(float x) noexcept { return __builtin_tanf(x); }
inline float asin(float x) noexcept { return __builtin_asinf(x); }
inline float acos(float x) noexcept { return __builtin_acosf(x); }
inline float atan(float x) noexcept { return __builtin_atanf(x); }
inline float sinh(float x) noexcept { return __builtin_sinhf(x); }
inline float cosh(float x) noexcept { return __builtin_coshf(x); }
inline float floor(float x) noexcept { return __builtin_floorf(x); }
inline float ceil(float x) noexcept { return __builtin_ceilf(x); }
inline float trunc(float x) noexcept { return __builtin_truncf(x); }
/// The part that trunc removes, with the sign of x.
inline float frac(float x) noexcept { return x - __builtin_truncf(x); }
/// Ties to even.
inline float round(float x) noexcept { return __builtin_rintf(x); }
/// NaN has no sign: 0, as in PyTorch.
constexpr float sign(float x) noexcept { return x > 0.0F ? 1.0F : x < 0.0F ? -1.0F : 0.0F; }
constexpr float reciprocal(float x) noexcept { return 1.0F / x; }
/// NaN if either is.
constexpr float maximum(float x, float y) noexcept { return x > y || x != x ? x : y; }
constexpr float minimum(float x, float y) noexcept { return x < y || x != x ? x : y; }

template <auto Function, class Isa>
[[gnu::noinline]] void apply_to_pairs(const op_arguments<float>& x, const attributes&) noexcept {
  const std::size_t n = x.out.size();
  for (std::size_t i = 0; i < n; ++i) x.out[i] = Function(x.in[0][i], x.in[1][i]);
}

}  // namespace functions

/// Methods, which PyTorch's backends leave in float.
constexpr op_descriptor in_float(const op_descriptor& d) {
  return {.infer_shape = d.infer_shape, .gives_integers = d.gives_integers, .schedule = d.schedule};
}
inline constexpr op_descriptor method_add = in_float(add);
inline constexpr op_descriptor method_mul = in_float(mul);
inline constexpr op_descriptor add_in_place = in_place(method_add);
inline constexpr op_descriptor mul_in_place = in_place(method_mul);
inline constexpr op_descriptor method_sub = in_float(sub);
inline constexpr op_descriptor method_div = in_float(div);

inline constexpr op_descriptor pow = keeping_integers(
    of_tensor_and_number(elementwise<functions::pow_scalar, scalar_operand>, &fn::info_pow));
inline constexpr op_descriptor rsub = keeping_integers(
    of_tensor_and_number(elementwise<functions::rsub_scalar, scalar_operand>, &fn::info_rsub));
inline constexpr op_descriptor abs =
    keeping_integers(float_activation(elementwise<functions::abs>));
inline constexpr op_descriptor neg =
    keeping_integers(float_activation(elementwise<functions::neg>));
inline constexpr op_descriptor square =
    keeping_integers(float_activation(elementwise<functions::square>));
inline constexpr op_descriptor exp = float_activation(elementwise<functions::exp>);
inline constexpr op_descriptor log = float_activation(elementwise<functions::log>);
inline constexpr op_descriptor sqrt = float_activation(elementwise<functions::sqrt>);
inline constexpr op_descriptor rsqrt = float_activation(elementwise<functions::rsqrt>);
inline constexpr op_descriptor clip = keeping_integers_with<&has_integer_bounds>(
    float_activation(elementwise<functions::clamp_to, clamp_options>));
inline constexpr op_descriptor sin = float_activation(elementwise<functions::sin>);
inline constexpr op_descriptor cos = float_activation(elementwise<functions::cos>);
inline constexpr op_descriptor erf = float_activation(elementwise<functions::erf>);
inline constexpr op_descriptor log1p = float_activation(elementwise<functions::log1p>);
inline constexpr op_descriptor expm1 = float_activation(elementwise<functions::expm1>);
inline constexpr op_descriptor exp2 = float_activation(elementwise<functions::exp2>);
inline constexpr op_descriptor log2 = float_activation(elementwise<functions::log2>);
inline constexpr op_descriptor log10 = float_activation(elementwise<functions::log10>);
inline constexpr op_descriptor tan = float_activation(elementwise<functions::tan>);
inline constexpr op_descriptor asin = float_activation(elementwise<functions::asin>);
inline constexpr op_descriptor acos = float_activation(elementwise<functions::acos>);
inline constexpr op_descriptor atan = float_activation(elementwise<functions::atan>);
inline constexpr op_descriptor sinh = float_activation(elementwise<functions::sinh>);
inline constexpr op_descriptor cosh = float_activation(elementwise<functions::cosh>);
inline constexpr op_descriptor floor =
    keeping_integers(float_activation(elementwise<functions::floor>));
inline constexpr op_descriptor ceil =
    keeping_integers(float_activation(elementwise<functions::ceil>));
inline constexpr op_descriptor trunc =
    keeping_integers(float_activation(elementwise<functions::trunc>));
inline constexpr op_descriptor frac = float_activation(elementwise<functions::frac>);
inline constexpr op_descriptor round =
    keeping_integers(float_activation(elementwise<functions::round>));
inline constexpr op_descriptor sign =
    keeping_integers(float_activation(elementwise<functions::sign>));
inline constexpr op_descriptor reciprocal = float_activation(elementwise<functions::reciprocal>);

constexpr shape equal_shapes_rule(ctq::view<shape> in, attributes&, diagnostic& d) {
  return shape_rules::needs(d, in, 2, 0) ? shape_rules::same_shapes(in, d) : shape{};
}
template <auto Function>
constexpr op_descriptor of_pairs() {
  return {.infer_shape = &equal_shapes_rule,
          .functions = {.tensors = 2,
                        .elementwise = true,
                        .apply = &functions::apply_to_pairs<Function, isa::native>},
          .schedule = {.how = schedule_as::function}};
}
inline constexpr op_descriptor maximum = keeping_integers(of_pairs<functions::maximum>());
inline constexpr op_descriptor minimum = keeping_integers(of_pairs<functions::minimum>());

}  // namespace ctq::descriptors

CTQ_FLOAT_NUMBERS(CTQ_DESCRIBE_OP)
