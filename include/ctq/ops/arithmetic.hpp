// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/broadcast.hpp"
#include "ctq/ops/define_ops.hpp"

// Sums, products and other functions of one or two values.

// clang-format off
#define CTQ_ARITHMETIC(OP) \
  OP(fn, binary_op, add, "torch.add", no_options, add) \
  OP(op, binary_op, add, "_operator.add", no_options, add) \
  OP(fn, binary_op, mul, "torch.mul", no_options, mul) \
  OP(op, binary_op, mul, "_operator.mul", no_options, mul) \
  OP(fn, binary_op, sub, "torch.sub", no_options, sub) \
  OP(op, binary_op, sub, "_operator.sub", no_options, sub) \
  OP(op, binary_op, floordiv, "_operator.floordiv", no_options, floordiv) \
  OP(q, pass_op, mul, "torch.ops.quantized.mul", no_options, q_mul) \
  OP(q, pass_op, mul_relu, "torch.ops.quantized.mul_relu", no_options, q_mul_relu) \
  OP(q, pass_op, add, "torch.ops.quantized.add", no_options, q_add) \
  OP(q, pass_op, add_relu, "torch.ops.quantized.add_relu", no_options, q_add_relu) \
  OP(q, pass_op, add_scalar, "torch.ops.quantized.add_scalar", no_options, q_add_scalar) \
  OP(q, pass_op, add_scalar_relu, "torch.ops.quantized.add_scalar_relu", no_options, q_add_scalar_relu) \
  OP(q, pass_op, mul_scalar, "torch.ops.quantized.mul_scalar", no_options, q_mul_scalar) \
  OP(q, pass_op, mul_scalar_relu, "torch.ops.quantized.mul_scalar_relu", no_options, q_mul_scalar_relu) \
  OP(q, pass_op, sub_relu, "sub_relu", no_options, q_sub_relu) \
  OP(q, pass_op, sub_scalar, "sub_scalar", no_options, q_sub_scalar) \
  OP(q, pass_op, div_scalar, "div_scalar", no_options, q_div_scalar)
// clang-format on

CTQ_ARITHMETIC(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {
constexpr float add_scalar(float x, const scalar_operand& o) noexcept { return x + o.value; }
constexpr float mul_scalar(float x, const scalar_operand& o) noexcept { return x * o.value; }
constexpr float sub_scalar(float x, const scalar_operand& o) noexcept {
  return o.position == 1 ? o.value - x : x - o.value;
}
constexpr float div_scalar(float x, const scalar_operand& o) noexcept {
  return o.position == 1 ? o.value / x : x / o.value;
}
/// Rounded down, as Python's //.
inline float floor_quotient(float a, float b) noexcept {
  if (b == 0.0F) return a / b;
  const float remainder = __builtin_fmodf(a, b);
  float quotient = (a - remainder) / b;
  if (remainder != 0.0F && (b < 0.0F) != (remainder < 0.0F)) quotient -= 1.0F;
  if (quotient == 0.0F) return __builtin_copysignf(0.0F, a / b);
  const float floor = __builtin_floorf(quotient);
  return quotient - floor > 0.5F ? floor + 1.0F : floor;
}
inline float floordiv_scalar(float x, const scalar_operand& o) noexcept {
  return o.position == 1 ? floor_quotient(o.value, x) : floor_quotient(x, o.value);
}
constexpr float positive(float x) noexcept { return x < 0.0F ? 0.0F : x; }
constexpr float add_scalar_relu(float x, const scalar_operand& o) noexcept {
  return positive(add_scalar(x, o));
}
constexpr float mul_scalar_relu(float x, const scalar_operand& o) noexcept {
  return positive(mul_scalar(x, o));
}
}  // namespace functions

constexpr shape two_shapes(view<shape> in, attributes& options, diagnostic& d) {
  if (in.count == 1 && options.as<scalar_operand>().position != 0) return in[0];
  return shape_rules::needs(d, in, 2, 0) ? shape_rules::broadcast(in[0], in[1], d) : shape{};
}

/// One step of two tensors: `kernel` for equal shapes, `broadcast` for others.
constexpr op_schedule of_two(kernel_id kernel, kernel_id broadcast, op_id with_number,
                             bool relu = false) {
  return with(in_any_order(kernel, 2, relu), [&](op_schedule& s) {
    s.broadcast = broadcast;
    s.broadcasts = true;
    s.with_number = with_number;
  });
}

/// A function of one number, with another one as an option.
constexpr op_descriptor of_number(const op_functions& functions) {
  return {.functions = functions, .keeps_memory_order = true};
}
inline constexpr op_descriptor q_add_scalar =
    of_number(elementwise<functions::add_scalar, scalar_operand>);
inline constexpr op_descriptor q_add_scalar_relu =
    of_number(elementwise<functions::add_scalar_relu, scalar_operand>);
inline constexpr op_descriptor q_mul_scalar =
    of_number(elementwise<functions::mul_scalar, scalar_operand>);
inline constexpr op_descriptor q_mul_scalar_relu =
    of_number(elementwise<functions::mul_scalar_relu, scalar_operand>);
inline constexpr op_descriptor q_sub_scalar =
    of_number(elementwise<functions::sub_scalar, scalar_operand>);
inline constexpr op_descriptor q_div_scalar =
    of_number(elementwise<functions::div_scalar, scalar_operand>);

inline constexpr op_descriptor add{
    .is_commutative = true,
    .infer_shape = &two_shapes,
    .gives_integers = integers_if::all_are,
    .is_arithmetic = true,
    .keeps_memory_order = true,
    .integer_form = &q::info_add,
    .integer_relu_form = &q::info_add_relu,
    .gradient = gradient_rule::sum,
    .schedule = of_two(kernel::binary_add, kernel::binary_add_broadcast, &q::info_add_scalar)};
inline constexpr op_descriptor q_add{.keeps_memory_order = true, .schedule = add.schedule};
inline constexpr op_descriptor q_add_relu{
    .keeps_memory_order = true,
    .schedule =
        of_two(kernel::binary_add, kernel::binary_add_broadcast, &q::info_add_scalar_relu, true)};

inline constexpr op_descriptor mul{
    .is_commutative = true,
    .infer_shape = &two_shapes,
    .gives_integers = integers_if::all_are,
    .is_arithmetic = true,
    .keeps_memory_order = true,
    .integer_form = &q::info_mul,
    .integer_relu_form = &q::info_mul_relu,
    .gradient = gradient_rule::product,
    .schedule = of_two(kernel::binary_mul, kernel::binary_mul_broadcast, &q::info_mul_scalar)};
inline constexpr op_descriptor q_mul{.keeps_memory_order = true, .schedule = mul.schedule};
inline constexpr op_descriptor q_mul_relu{
    .keeps_memory_order = true,
    .schedule =
        of_two(kernel::binary_mul, kernel::binary_mul_broadcast, &q::info_mul_scalar_relu, true)};

inline constexpr op_descriptor sub{
    .infer_shape = &two_shapes,
    .gives_integers = integers_if::all_are,
    .is_arithmetic = true,
    .on_integers = on_integers::own_scale,
    .integer_relu_form = &q::info_sub_relu,
    .is_since_2_1 = true,
    .gradient = gradient_rule::difference,
    .schedule = of_two(kernel::binary_sub, kernel::binary_sub, &q::info_sub_scalar)};
/// An op of XNNPACK, for which PyTorch has no name.
inline constexpr op_descriptor q_sub_relu{
    .schedule = of_two(kernel::binary_sub, kernel::binary_sub, nullptr, true)};
inline constexpr op_descriptor div{
    .infer_shape = &two_shapes,
    .is_arithmetic = true,
    .on_integers = on_integers::own_scale,
    .is_since_2_1 = true,
    .gradient = gradient_rule::quotient,
    .schedule = of_two(kernel::binary_div, kernel::binary_div, &q::info_div_scalar)};
/// The shape rule of a function of a tensor and a number.
constexpr shape with_a_number(view<shape> in, attributes& options, diagnostic& d) {
  if (in.count == 1 && options.as<scalar_operand>().position != 0) return in[0];
  shape_rules::complain(d, "takes a tensor and a number");
  return {};
}
/// A function of a tensor and a number that PyTorch's backends leave in float.
constexpr op_descriptor of_tensor_and_number(const op_functions& functions, op_id itself) {
  return {.infer_shape = &with_a_number,
          .functions = functions,
          .schedule = with(in_any_order(kernel::elementwise),
                           [&](op_schedule& s) { s.with_number = itself; })};
}
inline constexpr op_descriptor floordiv =
    with(keeping_integers(of_tensor_and_number(
             elementwise<functions::floordiv_scalar, scalar_operand>, &op::info_floordiv)),
         [](op_descriptor& d) { d.on_integers = on_integers::input_scale; });

}  // namespace ctq::descriptors

CTQ_ARITHMETIC(CTQ_DESCRIBE_OP)

namespace ctq {

/// The product of two tensors, as passes insert it.
inline constexpr op_id multiply = fn::mul.id();

}  // namespace ctq
