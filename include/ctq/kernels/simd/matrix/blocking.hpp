// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
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

/// The blocking of a layer on AMX tiles, if they are faster than the dot products of AVX512-VNNI.
/// Measured: from 2 pixels on with many weights, from 16 with many products. Estimated: tiles that
/// are half empty may be slower.
[[nodiscard]] constexpr std::optional<tile_blocking> tiles_that_pay(const conv2d_shape& s) {
  const std::int64_t pixels = std::int64_t{s.out_h()} * s.out_w();
  const std::int64_t weights =
      std::int64_t{s.kernel_h} * s.kernel_w * s.in_group() * s.out_channels;
  const bool enough =
      s.out_h() > 0 && s.out_w() > 0 &&
      ((pixels >= 2 && weights >= 65536) || (pixels >= 16 && pixels * weights >= 131072));
  if (!enough) return std::nullopt;
  const tile_blocking p = tile_blocking_of(s);
  // VNNI computes 128 products of bytes per cycle.
  const bool faster = (p.cycles() + copy_cycles(p)) * 128 < pixels * weights;
  return faster ? std::optional{p} : std::nullopt;
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

[[nodiscard]] constexpr const tile_blocking& tile_blocking_of(const tiled_shape& s) {
  return s.tiles;
}

/// How an instruction set computes a layer of activations of type T, float or 8-bit integers.
template <class Isa, class T>
[[nodiscard]] constexpr layer_blocking blocking_of(const conv2d_shape& shape) {
  if (is_depthwise(shape)) return {method::depthwise, {}};
  if constexpr (has_tiles<Isa> && !std::is_same_v<T, float>) {
    if (const auto tiles = tiles_that_pay(flattened(shape))) return {method::tiles, *tiles};
  }
  return {method::dense, {}};
}

}  // namespace ctq::kernels::simd
