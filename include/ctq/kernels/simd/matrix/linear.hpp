// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/dtype.hpp"
#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"

// Fully connected layers: a convolution of one-pixel kernels over a row of `rows` pixels.

namespace ctq::kernels::simd {

[[nodiscard]] constexpr conv2d_shape as_conv2d(const linear_shape& s) {
  return {.batch = 1,
          .in_h = 1,
          .in_w = s.rows,
          .in_channels = s.in_features,
          .out_channels = s.out_features,
          .kernel_h = 1,
          .kernel_w = 1};
}

/// Bytes of the packed weights, aligned to 64, of a layer that reads `in`.
template <class Isa>
[[nodiscard]] constexpr std::size_t linear_packed_bytes(const linear_shape& shape, dtype in) {
  return conv2d_packed_bytes<Isa>(as_conv2d(shape), in);
}

/// Bytes of the workspace, aligned to 64; often 0.
template <class Isa>
[[nodiscard]] constexpr std::size_t linear_workspace_bytes(const linear_shape& shape, dtype in) {
  return conv2d_workspace_bytes<Isa>(as_conv2d(shape), in);
}

/// weight [N,K] · bias [N] or null, input zero point folded in · multiplier [N]
/// In: the type of the activations, uint8 or int8.
template <class Isa, class In>
void pack_linear(const linear_shape& shape, const std::int8_t* weight, const std::int32_t* bias,
                 const float* multiplier, std::byte* packed) {
  pack_conv2d<Isa, In>(as_conv2d(shape), weight, bias, multiplier, packed);
}

/// weight [N,K] · bias [N] or null
template <class Isa>
void pack_linear(const linear_shape& shape, const float* weight, const float* bias,
                 std::byte* packed) {
  pack_conv2d<Isa>(as_conv2d(shape), weight, bias, packed);
}

template <linear_shape S>
[[nodiscard]] constexpr auto as_conv2d(std::integral_constant<linear_shape, S>) {
  return std::integral_constant<conv2d_shape, as_conv2d(S)>{};
}

/// Satisfied by linear_shape, and by std::integral_constant<linear_shape, ...> for a kernel of that
/// shape alone.
template <class Shape>
concept linear_shape_like = std::convertible_to<Shape, linear_shape>;

/// As reference::linear, with weights from pack_linear<Isa, In> and its multipliers, packed for the
/// same shape.
///
/// Shapes    in [M,K] · out [M,N] · workspace: linear_workspace_bytes, may be empty
/// Requires  the operands do not overlap · packed, workspace aligned to 64
template <class Isa, linear_shape_like Shape, class In, class Out>
[[gnu::always_inline]] inline void linear(const Shape& shape, const In* in, const std::byte* packed,
                                          const output_range& to, Out* out,
                                          std::byte* workspace) noexcept {
  conv2d<Isa>(as_conv2d(shape), in, packed, to, 0, out, workspace);
}

/// The same in float32. relu keeps NaN.
template <class Isa, linear_shape_like Shape>
[[gnu::always_inline]] inline void linear(const Shape& shape, const float* in,
                                          const std::byte* packed, bool relu, float* out,
                                          std::byte* workspace) noexcept {
  conv2d<Isa>(as_conv2d(shape), in, packed, relu, out, workspace);
}

}  // namespace ctq::kernels::simd
