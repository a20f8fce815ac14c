// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <type_traits>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/text.hpp"
#include "ctq/kernels/simd/convolution/computed_shape.hpp"
#include "ctq/kernels/simd/convolution/conv2d.hpp"
#include "ctq/kernels/simd/convolution/two_row_dot.hpp"
#include "ctq/kernels/simd/dot.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"

namespace ctq::kernels {

/// How an instruction set computes a convolution of T that ends with requantization or, if `plain`
/// is false, with an epilogue:
///
///   dense:12x2x16             pixels x registers x lanes of accumulators at once
///   depthwise:2x4x16          the same, or depthwise:columns:2x4x16 (depthwise_columns); then
///                             ":two_rows" if two rows share registers (two_row_dot)
///   tiles:1x4:rows14:chunk8   pixels x channels of a block, both in tiles; the pixels of a tile;
///                             blocks per pass over the weights; then ":gathered" if the pixels
///                             that are read are copied first, ":bands2x2" if the image is copied
///                             to bands (row_bands)
template <class Isa, class T, bool Depthwise, class Text>
constexpr void append_blocking_of(Text& out, const conv2d_shape& shape, bool plain) {
  const conv2d_shape s = simd::computed_shape<Isa, T>(shape);
  simd::with_method<Isa, T, Depthwise>(
      s, [&]<class Model>(std::type_identity<Model>, auto by, const simd::tile_blocking& p) {
        if constexpr (by == simd::method::tiles) {
          append_all(out, "tiles:", p.block.pixels, "x", p.block.channels, ":rows", p.rows,
                     ":chunk", p.chunk);
          if (p.gathered) out.append(":gathered");
          if (p.bands.any()) {
            append_all(out, ":bands", p.bands.rows, "x", p.bands.pixels);
          }
        } else if constexpr (by == simd::method::depthwise) {
          bool columns = false;
          if constexpr (Model::k_group > 1) columns = simd::by_columns<Model>(s);
          out.append(columns ? "depthwise:columns:" : "depthwise:");
          append_all(out, Model::depthwise_rows, "x", Model::k_group, "x", Model::lanes);
          if (simd::rows_per_register_of<Model> == 2) out.append(":two_rows");
        } else {
          const simd::panels<Model> of(s);
          constexpr int half = simd::narrow_dot_of<Model>::lanes;
          const int lanes = plain && of.used(0) <= half ? half : Model::lanes;
          const simd::tiling tiles = simd::tiles_of(s.out_h(), s.out_w(), Model::tile_rows);
          const bool large = tiles.large.x_count > 0 && tiles.large.y_count > 0;
          append_all(out, "dense:", large ? tiles.large.rows : tiles.small.rows, "x", of.vectors(0),
                     "x", lanes);
        }
      });
}

/// The same for a convolution that reads `in`; linear layers are convolutions.
///   Depthwise  whether it may be a depthwise one
template <class Isa, bool Depthwise = true, class Text>
constexpr void append_blocking(Text& out, const conv2d_shape& s, dtype in, bool plain) {
  if (in == f32) return append_blocking_of<Isa, float, Depthwise>(out, s, plain);
  if (in == qint8) return append_blocking_of<Isa, std::int8_t, Depthwise>(out, s, plain);
  append_blocking_of<Isa, std::uint8_t, Depthwise>(out, s, plain);
}

}  // namespace ctq::kernels
