// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/tile_blocking.hpp"

// How a convolution or linear layer is computed, depending on its shape and the instruction set:
// the core and, on AMX tiles, the blocks. The layout of packed weights depends on it, so packing
// and running call the same function.

namespace ctq::kernels::simd {

enum class method {
  dense,      // register_tile.hpp: dot products of registers
  depthwise,  // depthwise.hpp, depthwise_columns.hpp: one input channel per output channel
  tiles,      // tile_product.hpp: matrix products
};

/// Products of a layer that the dot products of AVX512-VNNI compute.
struct layer_products {
  std::int64_t pixels, weights;  // of outputs; of one pixel, of all channels

  constexpr explicit layer_products(const conv2d_shape& s)
      : pixels(std::int64_t{s.out_h()} * s.out_w()),
        weights(std::int64_t{s.kernel_h} * s.kernel_w * s.in_group() * s.out_channels) {}
};

/// Whether tiles may be faster than the dot products of AVX512-VNNI. Measured: from 2 pixels on
/// with many weights, from 16 with many products.
[[nodiscard]] constexpr bool tiles_may_pay(const conv2d_shape& s) {
  const auto [pixels, weights] = layer_products(s);
  return s.out_h() > 0 && s.out_w() > 0 &&
         ((pixels >= 2 && weights >= 65536) || (pixels >= 16 && pixels * weights >= 131072));
}

/// Whether they are by estimate: tiles that are half empty may be slower.
[[nodiscard]] constexpr bool tiles_pay(const conv2d_shape& s, const tile_blocking& p) {
  const auto [pixels, weights] = layer_products(s);
  // VNNI computes 128 products of bytes per cycle.
  return (p.cycles() + copy_cycles(p)) * 128 < pixels * weights;
}

struct layer_blocking {
  method by;
  tile_blocking tiles;  // for method::tiles
};

/// Extents that are known at run time, with their blocking on tiles, which takes long to compute.
struct tiled_shape {
  const tile_blocking& tiles;
  const conv2d_shape& extents;

  constexpr operator const conv2d_shape&() const { return extents; }  // NOLINT: a conversion
};

/// The blocking of a layer on tiles: that of the shape if it has one.
template <class Shape>
[[nodiscard, gnu::always_inline]] constexpr decltype(auto) tiles_of_shape(const Shape& shape) {
  if constexpr (requires { shape.tiles; }) {
    return (shape.tiles);
  } else {
    return tile_blocking_of(shape);
  }
}

/// How an instruction set computes a layer of activations of type T, float or 8-bit integers.
template <class Isa, class T>
[[nodiscard]] constexpr layer_blocking blocking_of(const conv2d_shape& shape) {
  if (is_depthwise(shape)) return {method::depthwise, {}};
  if constexpr (has_tiles<Isa> && !std::is_same_v<T, float>) {
    const conv2d_shape s = flattened(shape);
    if (tiles_may_pay(s))
      if (const tile_blocking p = tile_blocking_of(s); tiles_pay(s, p)) return {method::tiles, p};
  }
  return {method::dense, {}};
}

}  // namespace ctq::kernels::simd
