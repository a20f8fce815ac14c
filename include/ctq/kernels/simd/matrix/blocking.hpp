// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/simd/convolution/geometry.hpp"
#include "ctq/kernels/simd/convolution/row_bands.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"

// How a convolution or linear layer is computed, decided from its shape and the instruction set:
// by which core and, on tiles, in which blocks. Packed weights follow from it, so packing and
// running ask the same function. Numbers: one core of a Sapphire Rapids Xeon with 2 MB of L2.

namespace ctq::kernels::simd {

enum class method {
  dense,      // tile.hpp: dot products of registers
  depthwise,  // depthwise.hpp, depthwise_columns.hpp: each channel by itself
  tiles,      // tile_product.hpp: products of matrices
};

/// Tiles of sums that are computed at once, in pixels and in channels. Four are what eight tiles
/// leave room for.
struct tile_block {
  int pixels, channels;

  friend constexpr bool operator==(const tile_block&, const tile_block&) = default;
};

/// The shapes that a block may have, best first for most products.
inline constexpr tile_block tile_blocks[] = {{1, 4}, {2, 2}, {4, 1}};

/// A dense layer cut into tiles. The pixels of a tile are neighbours in one row of the output; the
/// last tile of a row moves back to end with it, as does the last block, so that some outputs are
/// computed twice.
struct tile_plan {
  conv2d_shape shape;  // the layer as tiles see it
  bool gathered;       // whether its pixels must be brought together first
  row_bands bands;     // or its rows
  tile_block block;
  int rows;    // pixels of a tile
  int across;  // tiles of an output row
  int tiles;   // of an image
  int panels;  // of block.channels tiles, for each group
  int chunk;   // blocks of pixels that are done with one panel before the next panel
  int width;   // bytes of k that one step multiplies
  k_runs runs;
  int part;   // steps of k that are done with a chunk before the next ones
  int ahead;  // cache lines of the next weights that a step fetches to L2

  [[nodiscard]] constexpr int blocks() const { return ceil_div(tiles, block.pixels); }
  /// Channels of a panel.
  [[nodiscard]] constexpr int channels() const { return block.channels * tile_format::lanes; }
  /// Where step i of a run begins.
  [[nodiscard]] constexpr int start(int i) const {
    return i > 0 && i + 1 == runs.steps ? runs.length - width : i * width;
  }
  [[nodiscard]] constexpr int parts() const { return ceil_div(runs.total_steps(), part); }
  /// Bytes of the sums that wait for the next part of k: those of a chunk.
  [[nodiscard]] constexpr std::size_t waiting_sums_bytes() const {
    constexpr std::size_t of_block = 4 * tile_format::rows * tile_format::row_bytes;
    return parts() > 1 ? static_cast<std::size_t>(chunk) * of_block : 0;
  }
  /// Registers of packed weights a panel has for each of its tiles.
  [[nodiscard]] constexpr int packed_steps() const {
    return runs.total_steps() * width / tile_format::k_group;
  }
  /// For which the tiles multiply: one a row, and not less than 10 for each product.
  [[nodiscard]] constexpr std::int64_t cycles() const {
    const std::int64_t sums = std::int64_t{blocks()} * panels * shape.groups * 4;
    return sums * runs.total_steps() * std::max(rows, 10);
  }
};

/// For which rows are brought together; t: the convolution that reads bands. Measured on Zen 4: 1
/// to 1.7 for a copy of 6 or 8 bytes, 2.6 of 24, 3.5 to 5 of 48.
[[nodiscard]] constexpr std::int64_t band_copy_cycles(const conv2d_shape& t, const row_bands& b) {
  const std::int64_t pixels = std::int64_t{t.in_h} * t.in_w;
  if (b.spread) return pixels * 10;
  return pixels * b.rows * t.groups + pixels * t.in_channels / 16;
}

/// For which pixels or rows are brought together for a plan.
[[nodiscard]] constexpr std::int64_t copy_cycles(const tile_plan& p) {
  const conv2d_shape& s = p.shape;
  if (p.gathered) return std::int64_t{s.in_h} * s.in_w * s.in_channels / 32;
  return p.bands.any() ? band_copy_cycles(s, p.bands) : 0;
}

/// How long a block takes for each of its products, in percent of the best one (GEMMs of 512^3,
/// 196x512x1024 and 49x2048x512, 3x3 convolutions of 64 to 256 channels).
[[nodiscard]] constexpr int relative_cost(const tile_plan& p) {
  const conv2d_shape& s = p.shape;
  const tile_block& b = p.block;
  // Each operand passes by once, whatever the block; but short rows cost more to write.
  if (p.blocks() == 1) return b.channels == 4 ? 100 : b.channels == 2 ? 105 : 120;
  const int k = s.kernel_h * s.kernel_w * s.in_group();
  const bool window = s.kernel_h * s.kernel_w > 1;
  // The window reads its pixels again from L1 while the weights pass by once.
  if (window && k >= 1152) return b.pixels == 4 ? 100 : b.pixels == 2 ? 115 : 130;
  // A panel of 64 channels must leave L1 room for the pixels.
  if (!window && k > 512) return b.pixels == 2 ? 100 : b.pixels == 1 ? 140 : 130;
  return b.pixels == 1 ? 100 : b.pixels == 2 ? 110 : 130;
}

/// Bytes that may stay there beside what streams past.
inline constexpr std::int64_t half_of_l2 = std::int64_t{1} << 20;

/// Blocks for one pass over the weights. Of blocks of many channels, the panel stays in L1 and the
/// pixels stream from L2: as many as fit in half of it. Of blocks of four tiles of pixels it is the
/// other way round, unless the weights do not fit.
[[nodiscard]] constexpr int blocks_a_pass(const tile_plan& p) {
  const conv2d_shape& s = p.shape;
  const std::int64_t image = std::int64_t{s.padded_h()} * s.padded_w() * s.in_channels;
  const std::int64_t weights = std::int64_t{p.runs.rows} * p.runs.taps * p.runs.length;
  if (p.block.pixels == 4 && weights * s.out_channels <= half_of_l2) return 1;
  if (image <= half_of_l2) return p.blocks();
  return static_cast<int>(std::max<std::int64_t>(p.blocks() * half_of_l2 / image, 1));
}

/// Steps of k for which a panel of 32 channels stays in L1. Measured on a Xeon with AMX, 2 MiB of
/// L2, parts of 48, 16 and 8 steps: 128x768x3072 220, 180 and 195 us.
inline constexpr int steps_in_l1 = 16;

/// Matrix products of many steps are done in parts of k, if a panel is used more than once.
[[nodiscard]] constexpr int steps_a_part(const tile_plan& p) {
  const int steps = p.runs.total_steps();
  const bool product = p.runs.rows * p.runs.taps == 1;
  if (!product || p.block.pixels != 2 || p.chunk == 1) return steps;
  return ceil_div(steps, ceil_div(steps, steps_in_l1));
}

/// Cache lines of weights that each step fetches from L3, so that the next part of a panel, or the
/// next panel, is in L2 when it is wanted. None if all weights stay there (2048^3 without: 34
/// instead of 58 % of the peak).
[[nodiscard]] constexpr int lines_ahead(const tile_plan& p) {
  const std::int64_t weights = std::int64_t{p.packed_steps()} * p.panels * p.channels() * 4;
  if (p.chunk == 1 || weights * p.shape.groups <= half_of_l2) return 0;
  return ceil_div(p.block.channels * p.width / tile_format::k_group, p.chunk);
}

/// A layer cut for blocks of one shape. Of a matrix product all blocks are full: its tiles share
/// the rows evenly.
[[nodiscard]] constexpr tile_plan cut_into_tiles(const conv2d_shape& s, const tile_block& block) {
  tile_plan p{};
  p.shape = s;
  p.block = block;
  p.across = ceil_div(s.out_w(), tile_format::rows);
  if (s.out_h() == 1) p.across = ceil_div(p.across, block.pixels) * block.pixels;
  p.rows = ceil_div(s.out_w(), p.across);
  p.tiles = s.out_h() * p.across;
  p.panels = ceil_div(s.out_group(), p.channels());
  p.runs = runs_of(s, tile_format::row_bytes);
  // One step of less than a tile's row reads what is there; of several, the last moves back.
  p.width = p.runs.steps == 1 ? ceil_div(p.runs.length, tile_format::k_group) * tile_format::k_group
                              : tile_format::row_bytes;
  p.chunk = blocks_a_pass(p);
  p.part = steps_a_part(p);
  p.ahead = lines_ahead(p);
  return p;
}

/// The best plan of a layer whose pixels lie as they do.
[[nodiscard]] constexpr tile_plan cut_into_tiles(const conv2d_shape& s) {
  tile_plan best{};
  std::int64_t least = 0;
  for (const tile_block& b : tile_blocks) {
    const tile_plan p = cut_into_tiles(s, b);
    const std::int64_t cost = p.cycles() * relative_cost(p);
    if (p.tiles >= b.pixels && (least == 0 || cost < least)) {
      least = cost;
      best = p;
    }
  }
  return best;
}

/// Pixels that a 1x1 convolution with a stride reads, side by side: then it is a matrix product.
[[nodiscard]] constexpr conv2d_shape gathered(const conv2d_shape& s) {
  conv2d_shape flat = s;
  flat.in_h = 1;
  flat.in_w = s.out_h() * s.out_w();
  flat.stride_h = flat.stride_w = 1;
  return flat;
}

/// Spread bands, if they are better than `best`; none if not. A tile whose rows cross cache lines
/// loads four times as long (16 rows from L1, 16 and 64 bytes apart: 38 and 8 cycles), a step with
/// such rows of 48 bytes lasts 1.6 times as long, outputs as long as four steps, and to spread a
/// pixel takes 10 cycles. a_step: cycles of a step in which no row does
[[nodiscard]] constexpr row_bands spread_bands(const conv2d_shape& s, const row_bands& best,
                                               std::int64_t a_step) {
  const conv2d_shape near = best.any() ? banded(s, best) : s;
  if (strides_of(near).x % tile_format::row_bytes == 0) return {};
  const k_runs runs = runs_of(near, tile_format::row_bytes);
  const std::int64_t crossing = 64 + std::min(runs.length, 64) * 4 / 5;
  std::int64_t least = a_step * std::max<std::int64_t>(runs.total_steps() * crossing / 64, 4) +
                       (best.any() ? band_copy_cycles(near, best) : 0);
  row_bands found;
  for (int rows = 1; rows <= s.kernel_h; ++rows) {
    const row_bands b{rows, 1, true};
    if (!can_band(s, b)) continue;
    const conv2d_shape t = banded(s, b);
    const bool fits = std::int64_t{t.in_h} * t.in_w * t.in_channels <= half_of_l2;
    const std::int64_t c = a_step * std::max(runs_of(t, tile_format::row_bytes).total_steps(), 4) +
                           band_copy_cycles(t, b);
    if (fits && c < least) {
      least = c;
      found = b;
    }
  }
  return found;
}

/// The plan of a layer whose rows are brought together in bands, if that is better than p, else p.
/// A product lasts as long as its rows are many, however few its bytes of k: 7x7/2 of 3 channels
/// takes seven steps of 21 bytes row by row, but four of 48 with two rows and two pixels together
/// (four of 64, copies not counted: 78 % of the peak). Storing sums lasts about a step more, and
/// outputs as long as two (GEMMs of 2, 4 and 8 steps: 56, 76 and 84 % of the peak). Bands as such
/// have not been timed on tiles, so by this arithmetic they must gain a tenth.
[[nodiscard]] constexpr tile_plan in_bands(const conv2d_shape& s, const tile_plan& p) {
  const std::int64_t a_step = p.cycles() / p.runs.total_steps();
  const auto cost = [&](const conv2d_shape& t, std::int64_t copies) {
    return a_step * (std::max(runs_of(t, tile_format::row_bytes).total_steps(), 2) + 1) + copies;
  };
  row_bands best;
  std::int64_t least = cost(s, 0) * 9 / 10;
  for (int pixels = 1; pixels <= s.stride_w; pixels += std::max(s.stride_w - 1, 1)) {
    if (s.in_group() * pixels > longest_band_copy) break;
    for (int rows = 2; rows <= s.kernel_h; ++rows) {
      const row_bands b{rows, pixels};
      if (!can_band(s, b)) continue;
      const conv2d_shape t = banded(s, b);
      // With no more rows than the kernel steps over, bands have about as many bytes as the image.
      const bool fits =
          rows <= s.stride_h || std::int64_t{t.in_h} * t.in_w * t.in_channels <= half_of_l2;
      if (const std::int64_t c = cost(t, band_copy_cycles(t, b)); fits && c < least) {
        least = c;
        best = b;
      }
    }
  }
  if (const row_bands b = spread_bands(s, best, a_step); b.any()) best = b;
  if (!best.any()) return p;
  tile_plan t = cut_into_tiles(flattened(banded(s, best)));
  t.bands = best;
  return t;
}

/// The plan of a dense layer that is done on tiles.
[[nodiscard]] constexpr tile_plan tile_plan_of(const conv2d_shape& shape) {
  const conv2d_shape s = flattened(shape);
  const tile_plan p = cut_into_tiles(s);
  const bool strided = s.stride_h > 1 || s.stride_w > 1;
  if (s.kernel_h == 1 && s.kernel_w == 1 && s.padding_h == 0 && s.padding_w == 0 && strided) {
    tile_plan flat = cut_into_tiles(gathered(s));
    flat.gathered = true;
    if (flat.cycles() + copy_cycles(flat) < p.cycles()) return flat;
  }
  return in_bands(s, p);
}

/// Whether tiles beat the dot products of AVX512-VNNI. Measured: from 2 pixels on if the weights
/// are many, from 16 if the products are. Computed: tiles that stay half empty may lose.
[[nodiscard]] constexpr bool tiles_pay(const conv2d_shape& s) {
  const std::int64_t pixels = std::int64_t{s.out_h()} * s.out_w();
  const std::int64_t weights =
      std::int64_t{s.kernel_h} * s.kernel_w * s.in_group() * s.out_channels;
  const bool enough =
      s.out_h() > 0 && s.out_w() > 0 &&
      ((pixels >= 2 && weights >= 65536) || (pixels >= 16 && pixels * weights >= 131072));
  // VNNI does 128 products of bytes a cycle.
  if (!enough) return false;
  const tile_plan p = tile_plan_of(s);
  return (p.cycles() + copy_cycles(p)) * 128 < pixels * weights;
}

struct layer_plan {
  method by;
  tile_plan tiles;  // if by tiles
};

/// How an instruction set computes a layer of activations of type T, float or 8-bit integers.
template <class Isa, class T>
[[nodiscard]] constexpr layer_plan plan(const conv2d_shape& shape) {
  if (is_depthwise(shape)) return {method::depthwise, {}};
  if constexpr (has_tiles<Isa> && !std::is_same_v<T, float>) {
    if (tiles_pay(flattened(shape))) return {method::tiles, tile_plan_of(shape)};
  }
  return {method::dense, {}};
}

}  // namespace ctq::kernels::simd
