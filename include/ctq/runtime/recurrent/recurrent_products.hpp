// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"

// The products with weights of a recurrent layer.

namespace ctq {

/// The product of the inputs of all steps of a layer.
[[nodiscard]] constexpr linear_shape input_product(const recurrent_shape& s, int layer) {
  return {s.steps * s.batch, s.inputs_of(layer), s.gates() * s.hidden};
}
/// The product of a hidden state.
[[nodiscard]] constexpr linear_shape state_product(const recurrent_shape& s) {
  return {s.batch, s.hidden, s.gates() * s.hidden};
}
/// The signature of a product.
///   recurrent  a kernel that has cells
[[nodiscard]] constexpr kernel_signature recurrent_product_signature(kernel_id recurrent,
                                                                     const linear_shape& s) {
  if (recurrent == kernel::lstm_static) return signature_of(kernel::linear, quint8, quint8, s);
  return signature_of(recurrent == kernel::rnn_dynamic ? kernel::linear_dynamic : kernel::linear,
                      f32, f32, s);
}

}  // namespace ctq
