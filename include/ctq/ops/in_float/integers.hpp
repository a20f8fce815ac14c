// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/activations.hpp"
#include "ctq/ops/arithmetic.hpp"
#include "ctq/ops/define_ops.hpp"

// What makes integers of numbers, and quotients and remainders of these. Steps compute integers in
// float, which holds them up to 2^24.

// clang-format off
#define CTQ_INTEGERS(OP) \
  OP(method, method_op, long_, "long", no_options, to_integer) \
  OP(method, method_op, int_, "int", no_options, to_integer) \
  OP(fn, binary_op, floor_divide, "torch.floor_divide", no_options, floor_divide) \
  OP(fn, binary_op, remainder, "torch.remainder", no_options, remainder) \
  OP(method, binary_method, remainder, "remainder", no_options, remainder) \
  OP(op, binary_op, mod, "_operator.mod", no_options, remainder)
// clang-format on

CTQ_INTEGERS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// Towards zero.
inline float to_integer(float x) noexcept { return __builtin_truncf(x); }

/// What is left of a, of the sign of b, as Python's %.
inline float remainder(float a, float b) noexcept {
  const float left = __builtin_fmodf(a, b);
  return left != 0.0F && (left < 0.0F) != (b < 0.0F) ? left + b : left;
}
inline float remainder_scalar(float x, const scalar_operand& o) noexcept {
  return o.position == 1 ? remainder(o.value, x) : remainder(x, o.value);
}

}  // namespace functions

inline constexpr op_descriptor to_integer =
    with(float_activation(elementwise<functions::to_integer>), [](op_descriptor& d) {
      d.gives_indices = true;
      d.keeps_integers = true;
    });
inline constexpr op_descriptor floor_divide = keeping_integers(of_tensor_and_number(
    elementwise<functions::floordiv_scalar, scalar_operand>, &fn::info_floor_divide));
inline constexpr op_descriptor remainder = keeping_integers(of_tensor_and_number(
    elementwise<functions::remainder_scalar, scalar_operand>, &fn::info_remainder));

}  // namespace ctq::descriptors

CTQ_INTEGERS(CTQ_DESCRIBE_OP)
