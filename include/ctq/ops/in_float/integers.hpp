// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

#include "ctq/ops/activations.hpp"
#include "ctq/ops/arithmetic.hpp"
#include "ctq/ops/define_ops.hpp"

// Conversion of numbers to integers, and quotients and remainders of integers. Steps compute them
// in float, which holds integers up to 2^24.

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

/// Rounds towards zero.
inline float to_integer(float x) noexcept { return __builtin_truncf(x); }

/// The remainder of a / b, with the sign of b, as Python's %.
template <std::floating_point Real>
Real remainder(Real a, Real b) noexcept {
  Real left{};
  if constexpr (std::same_as<Real, float>) {
    left = __builtin_fmodf(a, b);
  } else {
    left = __builtin_fmod(a, b);
  }
  return left != Real{0} && (left < Real{0}) != (b < Real{0}) ? left + b : left;
}
inline float remainder_scalar(float x, const scalar_operand& o) noexcept {
  return o.position == 1 ? remainder(o.value, x) : remainder(x, o.value);
}

}  // namespace functions

inline constexpr op_descriptor to_integer =
    with(float_activation(elementwise<functions::to_integer>), [](op_descriptor& d) {
      d.returns_indices = true;
      d.gives_integers = integers_if::all_are;
    });
inline constexpr op_descriptor floor_divide = keeping_integers(of_tensor_and_number(
    elementwise<functions::floordiv_scalar, scalar_operand>, &fn::info_floor_divide));
inline constexpr op_descriptor remainder = keeping_integers(of_tensor_and_number(
    elementwise<functions::remainder_scalar, scalar_operand>, &fn::info_remainder));

}  // namespace ctq::descriptors

CTQ_INTEGERS(CTQ_DESCRIBE_OP)
