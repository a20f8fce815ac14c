// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/evaluate/float_ops/kernels/layer_functions.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/kernels/reference/attention_softmax.hpp"
#include "ctq/kernels/reference/layer_norm.hpp"
#include "ctq/kernels/reference/matmul.hpp"
#include "ctq/kernels/reference/softmax.hpp"

// Kernels of compiled models on float32 that float ops call: those of the instruction set, if the
// evaluator has them, else their references, which return the same bits. The arguments are those of
// the references.

namespace ctq::float_ops::float_kernels {

inline void softmax(const layer_functions& by, const softmax_shape& s, const float* in,
                    float* out) {
  if (by.kernel == nullptr) return kernels::reference::softmax(s, in, out);
  by.kernel(by.state, signature_of(kernel::softmax, f32, f32, s), {.in = {in}, .out = out});
}

inline void attention_softmax(const layer_functions& by, const attention_shape& s, const float* in,
                              float* out) {
  if (by.kernel == nullptr) return kernels::reference::attention_softmax(s, in, out);
  by.kernel(by.state, signature_of(kernel::attention_softmax, f32, f32, s),
            {.in = {in}, .out = out});
}

inline void matmul(const layer_functions& by, const matmul_shape& s, const float* a, const float* b,
                   float* out) {
  if (by.kernel == nullptr) return kernels::reference::matmul(s, a, b, nullptr, out);
  by.kernel(by.state, signature_of(kernel::matmul, f32, f32, s), {.in = {a, b}, .out = out});
}

///   weight, bias  of the shape's channels, or null
inline void layer_norm(const layer_functions& by, layer_norm_shape s, const float* in,
                       const float* weight, const float* bias, float* out) {
  // The kernel has both or neither.
  if (by.kernel == nullptr || (weight == nullptr) != (bias == nullptr))
    return kernels::reference::layer_norm(s, in, weight, bias, out);
  s.affine = weight != nullptr ? 1 : 0;
  step_data data;
  std::vector<float> parameters;
  if (s.affine != 0) {
    const auto channels = static_cast<std::size_t>(s.channels);
    parameters.assign(weight, weight + channels);
    parameters.insert(parameters.end(), bias, bias + channels);
    data.parameters.parameters.count = 2;
    data.parameters.floats[1] = channels * sizeof(float);
  }
  by.kernel(by.state, signature_of(kernel::layer_norm, f32, f32, s),
            {.in = {in},
             .out = out,
             .packed = reinterpret_cast<const std::byte*>(parameters.data()),
             .data = &data});
}

}  // namespace ctq::float_ops::float_kernels
