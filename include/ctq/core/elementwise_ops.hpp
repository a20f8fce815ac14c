// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/ops.hpp"

// Ops that compute element by element, so that on integers of one tensor a table of 256 entries
// stands for them. What they compute is in kernels/elementwise_functions.hpp.

namespace ctq {

namespace elementwise_ops {

// relu, add and mul have kernels of their own.
inline constexpr op_id unary[] = {
    nn::relu6.id(),       fn::relu6.id(),       nn::leaky_relu.id(),      fn::leaky_relu.id(),
    nn::elu.id(),         fn::elu.id(),         nn::hardswish.id(),       fn::hardswish.id(),
    nn::hardsigmoid.id(), fn::hardsigmoid.id(), method::hardsigmoid.id(), nn::hardtanh.id(),
    fn::hardtanh.id(),    nn::sigmoid.id(),     fn::sigmoid.id(),         method::sigmoid.id(),
    nn::tanh.id(),        fn::tanh.id(),        method::tanh.id(),        nn::dropout.id(),
    fn::dropout.id(),     fn::clamp.id(),       method::clamp.id()};

inline constexpr op_id binary[] = {op::sub.id(), fn::sub.id()};

}  // namespace elementwise_ops

/// How many tensors an op of ctq's own reads that computes element by element; 0: it is none.
[[nodiscard]] constexpr int elementwise_tensors(op_id op) {
  for (const op_id id : elementwise_ops::unary)
    if (id == op) return 1;
  for (const op_id id : elementwise_ops::binary)
    if (id == op) return 2;
  return 0;
}

}  // namespace ctq
