// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/elementwise_ops.hpp"
#include "ctq/core/find_hooks.hpp"
#include "ctq/kernels/activation_functions.hpp"

// The float32 functions of the ops in core/elementwise_ops.hpp, as PyTorch defines them.

namespace ctq::kernels {

namespace functions {

inline float identity(float x) noexcept { return x; }
inline float leaky_relu(float x, const leaky_relu_options& o) noexcept {
  return x > 0.0F ? x : x * o.negative_slope;
}
inline float elu(float x, const elu_options& o) noexcept {
  return x > 0.0F ? x : o.alpha * std::expm1(x);
}
inline float hardtanh(float x, const hardtanh_options& o) noexcept {
  return clamp(x, o.min_val, o.max_val);
}
inline float clamp_to(float x, const clamp_options& o) noexcept { return clamp(x, o.min, o.max); }
inline float sub(float a, float b) noexcept { return a - b; }

}  // namespace functions

namespace elementwise_functions {

/// A built-in op with its float function, in the form of a user-defined op.
template <class Op, auto Function>
struct meaning : Op {
  static float apply(float x) noexcept requires std::is_invocable_v<decltype(Function), float> {
    return Function(x);
  }
  static float apply(
      float a, float b) noexcept requires std::is_invocable_v<decltype(Function), float, float> {
    return Function(a, b);
  }
  static float apply(float x, const typename Op::options& o) noexcept requires
      std::is_invocable_v<decltype(Function), float, const typename Op::options&> {
    return Function(x, o);
  }
};

struct row {
  op_id op;
  const op_hooks* hooks;
};

template <auto Function, class Op>
constexpr row of(const Op&) {
  return {Op::id(), &hooking::found<meaning<Op, Function>>};
}

inline constexpr row table[] = {
    of<functions::relu6>(nn::relu6),
    of<functions::relu6>(fn::relu6),
    of<functions::leaky_relu>(nn::leaky_relu),
    of<functions::leaky_relu>(fn::leaky_relu),
    of<functions::elu>(nn::elu),
    of<functions::elu>(fn::elu),
    of<functions::hardswish>(nn::hardswish),
    of<functions::hardswish>(fn::hardswish),
    of<functions::hardsigmoid>(nn::hardsigmoid),
    of<functions::hardsigmoid>(fn::hardsigmoid),
    of<functions::hardsigmoid>(method::hardsigmoid),
    of<functions::hardtanh>(nn::hardtanh),
    of<functions::hardtanh>(fn::hardtanh),
    of<functions::sigmoid>(nn::sigmoid),
    of<functions::sigmoid>(fn::sigmoid),
    of<functions::sigmoid>(method::sigmoid),
    of<functions::tanh>(nn::tanh),
    of<functions::tanh>(fn::tanh),
    of<functions::tanh>(method::tanh),
    of<functions::identity>(nn::dropout),
    of<functions::identity>(fn::dropout),
    of<functions::clamp_to>(fn::clamp),
    of<functions::clamp_to>(method::clamp),
    of<functions::sub>(op::sub),
    of<functions::sub>(fn::sub),
};

}  // namespace elementwise_functions

/// The hooks of a user-defined op, or of a built-in op in the table.
[[nodiscard]] constexpr const op_hooks& hooks_of(op_id op) {
  if (op->hooks != nullptr) return *op->hooks;
  const elementwise_functions::row* r = elementwise_functions::table;
  while (r->op != op) ++r;
  return *r->hooks;
}

}  // namespace ctq::kernels
