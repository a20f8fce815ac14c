// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/kernels/reference/binary_add.hpp"
#include "ctq/kernels/reference/binary_mul.hpp"

// Kernels of two tensors that are broadcast against each other, on integers
//   (shape, a, qparams of a, b, qparams of b, qparams of out, out, relu)
// and on floats
//   (shape, a, b, out, relu)
// with max(…, 0) if relu, on integers before quantize. out overlaps neither a nor b.

namespace ctq::kernels::reference {

/// f(element of the output, element of a, element of b) for each element of the output.
template <class F>
inline void for_broadcast(const broadcast_shape& s, F f) noexcept {
  std::ptrdiff_t out = 0;
  for (int i = 0; i < s.extent[0]; ++i)
    for (int j = 0; j < s.extent[1]; ++j)
      for (int k = 0; k < s.extent[2]; ++k)
        for (int l = 0; l < s.extent[3]; ++l) {
          const auto at = [&](const int(&stride)[broadcast_shape::axes]) {
            return std::ptrdiff_t{i} * stride[0] + std::ptrdiff_t{j} * stride[1] +
                   std::ptrdiff_t{k} * stride[2] + std::ptrdiff_t{l} * stride[3];
          };
          f(out++, at(s.stride[0]), at(s.stride[1]));
        }
}

/// As binary_add, element by element.
template <quantized Q>
inline void binary_add_broadcast(const broadcast_shape& shape, const Q* a, const qparams& a_q,
                                 const Q* b, const qparams& b_q, const qparams& out_q, Q* out,
                                 bool relu) noexcept {
  for_broadcast(shape, [&](std::ptrdiff_t o, std::ptrdiff_t i, std::ptrdiff_t j) {
    binary_add({1}, a + i, a_q, b + j, b_q, out_q, out + o, relu);
  });
}
inline void binary_add_broadcast(const broadcast_shape& shape, const float* a, const float* b,
                                 float* out, bool relu) noexcept {
  for_broadcast(shape, [&](std::ptrdiff_t o, std::ptrdiff_t i, std::ptrdiff_t j) {
    binary_add({1}, a + i, b + j, out + o, relu);
  });
}

/// As binary_mul, element by element.
template <quantized Q>
inline void binary_mul_broadcast(const broadcast_shape& shape, const Q* a, const qparams& a_q,
                                 const Q* b, const qparams& b_q, const qparams& out_q, Q* out,
                                 bool relu) noexcept {
  for_broadcast(shape, [&](std::ptrdiff_t o, std::ptrdiff_t i, std::ptrdiff_t j) {
    binary_mul({1}, a + i, a_q, b + j, b_q, out_q, out + o, relu);
  });
}
inline void binary_mul_broadcast(const broadcast_shape& shape, const float* a, const float* b,
                                 float* out, bool relu) noexcept {
  for_broadcast(shape, [&](std::ptrdiff_t o, std::ptrdiff_t i, std::ptrdiff_t j) {
    binary_mul({1}, a + i, b + j, out + o, relu);
  });
}

/// quantize(dequantize(a[i]) - dequantize(b[j])), each rounded before the subtraction.
template <quantized Q>
inline void binary_sub(const broadcast_shape& shape, const Q* a, const qparams& a_q, const Q* b,
                       const qparams& b_q, const qparams& out_q, Q* out, bool relu) noexcept {
  const quantizer to = quantizer_of(out_q);
  for_broadcast(shape, [&](std::ptrdiff_t o, std::ptrdiff_t i, std::ptrdiff_t j) {
    const float x = no_contract(dequantize(a[i], a_q)) - no_contract(dequantize(b[j], b_q));
    out[o] = quantize<Q>(relu ? reference::relu(x) : x, to);
  });
}
inline void binary_sub(const broadcast_shape& shape, const float* a, const float* b, float* out,
                       bool relu) noexcept {
  for_broadcast(shape, [&](std::ptrdiff_t o, std::ptrdiff_t i, std::ptrdiff_t j) {
    const float x = a[i] - b[j];
    out[o] = relu ? reference::relu(x) : x;
  });
}

/// quantize(dequantize(a[i]) / dequantize(b[j])). A number divided by zero is infinite, which gives
/// an end of the range; zero by zero gives the zero point, as NaN does.
template <quantized Q>
inline void binary_div(const broadcast_shape& shape, const Q* a, const qparams& a_q, const Q* b,
                       const qparams& b_q, const qparams& out_q, Q* out, bool relu) noexcept {
  const quantizer to = quantizer_of(out_q);
  for_broadcast(shape, [&](std::ptrdiff_t o, std::ptrdiff_t i, std::ptrdiff_t j) {
    const float x = dequantize(a[i], a_q) / dequantize(b[j], b_q);
    out[o] = quantize<Q>(relu ? reference::relu(x) : x, to);
  });
}
inline void binary_div(const broadcast_shape& shape, const float* a, const float* b, float* out,
                       bool relu) noexcept {
  for_broadcast(shape, [&](std::ptrdiff_t o, std::ptrdiff_t i, std::ptrdiff_t j) {
    const float x = a[i] / b[j];
    out[o] = relu ? reference::relu(x) : x;
  });
}

}  // namespace ctq::kernels::reference
