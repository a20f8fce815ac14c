// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/row_shapes.hpp"
#include "ctq/kernels/kernel_code.hpp"

// Float32 kernels, and the same on tensors of 8-bit integers: part by part, the tensor is
// dequantized to the workspace, computed there in place, and quantized.

namespace ctq::kernels {

/// Parts of a tensor that a float kernel computes one after the other: `units` units of `unit`
/// elements each, of which a part has `per_part`, the last one perhaps fewer.
struct float_parts {
  /// Elements of a part, if a unit has fewer: in float32 they stay in the L1 cache.
  static constexpr int target = 2048;

  int unit{};
  int units{};
  int per_part = std::clamp(target / std::max(unit, 1), 1, std::max(units, 1));

  [[nodiscard]] constexpr std::size_t bytes() const {
    return packing::padded(static_cast<std::size_t>(unit) * static_cast<std::size_t>(per_part) *
                           sizeof(float));
  }
};

/// A unit of softmax: all elements with one index of the axes before the reduced one.
[[nodiscard]] constexpr float_parts parts_of(const softmax_shape& s) {
  return {.unit = s.stride * s.count, .units = s.rows / s.stride};
}
[[nodiscard]] constexpr softmax_shape part_of(softmax_shape s, int units) {
  s.rows = units * s.stride;
  return s;
}

/// A unit of channels last: a pixel.
[[nodiscard]] constexpr float_parts parts_of(const channels_shape& s) {
  return {.unit = s.channels, .units = s.rows};
}
[[nodiscard]] constexpr channels_shape part_of(channels_shape s, int units) {
  s.rows = units;
  return s;
}

/// A unit of norms: all channels, if these are few elements, else one row.
[[nodiscard]] constexpr float_parts parts_of(const layer_norm_shape& s) {
  const int all_channels = s.channels * s.pixels;
  if (all_channels <= std::max(s.count, float_parts::target))
    return {.unit = all_channels, .units = s.rows / (all_channels / s.count)};
  return {.unit = s.count, .units = s.rows, .per_part = 1};
}
[[nodiscard]] constexpr layer_norm_shape part_of(layer_norm_shape s, int units) {
  s.rows = units * (parts_of(s).unit / s.count);
  return s;
}

/// Bytes of the workspace for a dequantized part; 0 for float32.
template <class Shape>
[[nodiscard]] constexpr std::size_t part_bytes(const kernel_signature& signature) {
  return signature.in == f32 ? 0 : parts_of(signature.as<Shape>()).bytes();
}

template <class Set, class Q, class Shape, class Compute>
[[gnu::always_inline]] inline void by_integer_parts(const Shape& s, const operands& x,
                                                    Compute compute) noexcept {
  const float_parts parts = parts_of(s);
  auto* const floats = reinterpret_cast<float*>(x.workspace);
  for (int done = 0; done < parts.units; done += parts.per_part) {
    const int units = std::min(parts.per_part, parts.units - done);
    const elementwise_shape elements{units * parts.unit};
    const std::ptrdiff_t first = std::ptrdiff_t{done} * parts.unit;
    const float* const in = floats;
    call<Set, descriptors::dequantize>(elements, x.input<Q>() + first, x.data->in[0], floats);
    compute(part_of(s, units), first, in, floats);
    call<Set, descriptors::quantize>(elements, in, x.data->out, x.output<Q>() + first);
  }
}

/// Computes a tensor by a float kernel: floats at once, integers part by part.
///   compute  (shape of a part, the offset of its first element, its input, its output)
template <class Set, class T, class Shape, class Compute>
[[gnu::always_inline]] inline void by_parts(const Shape& s, const operands& x,
                                            Compute compute) noexcept {
  if constexpr (std::same_as<T, float>) {
    compute(s, std::ptrdiff_t{0}, x.input<float>(), x.output<float>());
  } else {
    by_integer_parts<Set, T>(s, x, compute);
  }
}

}  // namespace ctq::kernels
