// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/simd/convolution/row_bands.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"

// How a dense layer is divided into AMX tiles and blocks of them, and what that takes. Numbers: one
// core of a Sapphire Rapids Xeon with 2 MB of L2.

namespace ctq::kernels::simd {

/// The tiles of accumulators that are computed at once, in pixels and in channels: four of the
/// eight tiles, since operands need the others.
struct tile_block {
  int pixels, channels;

  friend constexpr bool operator==(const tile_block&, const tile_block&) = default;
};

/// The shapes that a block may have, best first for most products.
inline constexpr tile_block tile_blocks[] = {{1, 4}, {2, 2}, {4, 1}};

/// A dense layer divided into tiles. The pixels of a tile are adjacent in one row of the output;
/// the last tile of a row is moved back to end with it, as is the last block, so that some outputs
/// are computed twice.
struct tile_blocking {
  conv2d_shape shape;  // of the equivalent layer that tiles compute
  bool gathered;       // whether the pixels that are read are copied first, contiguously
  row_bands bands;     // or the layout that the image is copied to
  tile_block block;
  int rows;           // pixels of a tile
  int tiles_per_row;  // of the output
  int tiles;          // of an image
  int panels;         // of block.channels tiles, for each group
  int chunk;          // blocks of pixels that are computed with one panel before the next panel
  int width;          // bytes of k that one step multiplies
  k_runs runs;
  int part;            // k steps that are computed for a chunk before the next ones
  int prefetch_lines;  // cache lines of the next weights that a step prefetches to L2

  [[nodiscard]] constexpr int blocks() const { return ceil_div(tiles, block.pixels); }
  /// Channels of a panel.
  [[nodiscard]] constexpr int channels() const { return block.channels * tile_format::lanes; }
  /// The start of step i in a run.
  [[nodiscard]] constexpr int start(int i) const {
    return i > 0 && i + 1 == runs.steps ? runs.length - width : i * width;
  }
  [[nodiscard]] constexpr int parts() const { return ceil_div(runs.total_steps(), part); }
  /// Bytes of the accumulators of a chunk that are kept for the next part of k.
  [[nodiscard]] constexpr std::size_t partial_accumulators_bytes() const {
    constexpr std::size_t of_block = 4 * tile_format::rows * tile_format::row_bytes;
    return parts() > 1 ? static_cast<std::size_t>(chunk) * of_block : 0;
  }
  /// Registers of packed weights per panel and tile of channels.
  [[nodiscard]] constexpr int packed_steps() const {
    return runs.total_steps() * width / tile_format::k_group;
  }
  /// Cycles of all tile products: one per row, and not less than 10 each.
  [[nodiscard]] constexpr std::int64_t cycles() const {
    const std::int64_t products = std::int64_t{blocks()} * panels * shape.groups * 4;
    return products * runs.total_steps() * std::max(rows, 10);
  }
};

/// Cycles to copy an image to bands; t: the convolution that reads them. Measured on Zen 4: 1
/// to 1.7 for a copy of 6 or 8 bytes, 2.6 of 24, 3.5 to 5 of 48.
[[nodiscard]] constexpr std::int64_t band_copy_cycles(const conv2d_shape& t, const row_bands& b) {
  const std::int64_t pixels = std::int64_t{t.in_h} * t.in_w;
  if (b.spread) return pixels * 10;
  return pixels * b.rows * t.groups + pixels * t.in_channels / 16;
}

/// Cycles to copy the image for a blocking.
[[nodiscard]] constexpr std::int64_t copy_cycles(const tile_blocking& p) {
  const conv2d_shape& s = p.shape;
  if (p.gathered) return std::int64_t{s.in_h} * s.in_w * s.in_channels / 32;
  return p.bands.any() ? band_copy_cycles(s, p.bands) : 0;
}

/// The time of a block per product, in percent of the best one (GEMMs of 512^3, 196x512x1024 and
/// 49x2048x512, 3x3 convolutions of 64 to 512 channels).
[[nodiscard]] constexpr int relative_cost(const tile_blocking& p) {
  const conv2d_shape& s = p.shape;
  const tile_block& b = p.block;
  // Each operand is read once with any block; but short rows cost more to store.
  if (p.blocks() == 1) return b.channels == 4 ? 100 : b.channels == 2 ? 105 : 120;
  const int k = s.kernel_h * s.kernel_w * s.in_group();
  const bool window = s.kernel_h * s.kernel_w > 1;
  if (window && k >= 1536) return b.pixels == 2 ? 100 : b.pixels == 4 ? 108 : 130;
  if (window && k >= 1152) return b.pixels == 4 ? 100 : b.pixels == 2 ? 115 : 130;
  // A panel of 64 channels must leave space for the pixels in L1.
  if (!window && k > 512) return b.pixels == 2 ? 100 : b.pixels == 1 ? 140 : 130;
  return b.pixels == 1 ? 100 : b.pixels == 2 ? 110 : 130;
}

/// Bytes that may stay in L2 besides streamed operands.
inline constexpr std::int64_t half_of_l2 = std::int64_t{1} << 20;

/// Blocks for one pass over the weights. One, whose pixels stay in L1 while weights are streamed,
/// if half of L2 holds the weights and a block has many products. Else a panel of weights stays in
/// L1: with all pixels or, if the weights come from L3, with those that a quarter of L2 holds. On a
/// Xeon with AMX: 1024^3 500 us one by one, 597 at once; 2048^3 4.6 ms with a quarter of L2, 5.1
/// with half.
[[nodiscard]] constexpr int blocks_per_pass(const tile_blocking& p) {
  const conv2d_shape& s = p.shape;
  const std::int64_t image = std::int64_t{s.padded_h()} * s.padded_w() * s.in_channels;
  const std::int64_t k = std::int64_t{p.runs.rows} * p.runs.taps * p.runs.length;
  const bool in_l2 = k * s.out_channels <= half_of_l2;
  if (in_l2 && (p.block.pixels == 4 || (p.block.pixels == 2 && k >= 512))) return 1;
  const std::int64_t most = in_l2 ? half_of_l2 : half_of_l2 / 2;
  if (image <= most) return p.blocks();
  return static_cast<int>(std::max<std::int64_t>(p.blocks() * most / image, 1));
}

/// k steps for which a panel of 32 channels stays in L1. Measured on a Xeon with AMX, 2 MiB of
/// L2, parts of 48, 16 and 8 steps: 128x768x3072 220, 180 and 195 us.
inline constexpr int steps_in_l1 = 16;

/// Matrix products of many steps are computed in parts of k, if a panel is used more than once.
[[nodiscard]] constexpr int steps_per_part(const tile_blocking& p) {
  const int steps = p.runs.total_steps();
  const bool product = p.runs.rows * p.runs.taps == 1;
  if (!product || p.block.pixels != 2 || p.chunk == 1) return steps;
  return ceil_div(steps, ceil_div(steps, steps_in_l1));
}

/// Cache lines of weights that each step prefetches from L3, so that the next part of a panel, or
/// the next panel, is in L2 in time. None if all weights stay there (2048^3 without: 34 instead of
/// 58 % of the peak).
[[nodiscard]] constexpr int prefetched_lines(const tile_blocking& p) {
  const std::int64_t weights = std::int64_t{p.packed_steps()} * p.panels * p.channels() * 4;
  if (p.chunk == 1 || weights * p.shape.groups <= half_of_l2) return 0;
  return ceil_div(p.block.channels * p.width / tile_format::k_group, p.chunk);
}

/// A layer divided for blocks of one shape. All blocks of a matrix product are full: its rows are
/// divided evenly among its tiles.
[[nodiscard]] constexpr tile_blocking cut_into_tiles(const conv2d_shape& s,
                                                     const tile_block& block) {
  tile_blocking p{};
  p.shape = s;
  p.block = block;
  p.tiles_per_row = ceil_div(s.out_w(), tile_format::rows);
  if (s.out_h() == 1) p.tiles_per_row = ceil_div(p.tiles_per_row, block.pixels) * block.pixels;
  p.rows = ceil_div(s.out_w(), p.tiles_per_row);
  p.tiles = s.out_h() * p.tiles_per_row;
  p.panels = ceil_div(s.out_group(), p.channels());
  p.runs = runs_of(s, tile_format::row_bytes);
  // A single step reads the whole run; the last of several is moved back to end with it.
  p.width = p.runs.steps == 1 ? ceil_div(p.runs.length, tile_format::k_group) * tile_format::k_group
                              : tile_format::row_bytes;
  p.chunk = blocks_per_pass(p);
  p.part = steps_per_part(p);
  p.prefetch_lines = prefetched_lines(p);
  return p;
}

/// The best blocking of a layer whose input is not rearranged.
[[nodiscard]] constexpr tile_blocking cut_into_tiles(const conv2d_shape& s) {
  tile_blocking best{};
  std::int64_t least = 0;
  for (const tile_block& b : tile_blocks) {
    const tile_blocking p = cut_into_tiles(s, b);
    const std::int64_t cost = p.cycles() * relative_cost(p);
    if (p.tiles >= b.pixels && (least == 0 || cost < least)) {
      least = cost;
      best = p;
    }
  }
  return best;
}

/// A 1x1 convolution with a stride, on a copy of the pixels that it reads: a matrix product.
[[nodiscard]] constexpr conv2d_shape gathered(const conv2d_shape& s) {
  conv2d_shape flat = s;
  flat.in_h = 1;
  flat.in_w = s.out_h() * s.out_w();
  flat.stride_h = flat.stride_w = 1;
  return flat;
}

/// Spread bands, if they are better than `best`; none if not. Loading a tile whose rows cross cache
/// lines takes four times as long (16 rows from L1, 16 and 64 bytes apart: 38 and 8 cycles), a step
/// with such rows of 48 bytes 1.6 times as long, storing outputs as long as four steps, spreading a
/// pixel 10 cycles. a_step: cycles of a step in which no row crosses a cache line
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

/// The blocking of a layer whose image is copied to bands, if that is better than p, else p. The
/// time of a tile product depends on its rows, not on its bytes of k: 7x7/2 of 3 channels takes
/// seven steps of 21 bytes row by row, but four of 48 with bands of two rows and two pixels (four
/// of 64, copies not counted: 78 % of the peak). Storing accumulators takes about a step, and
/// storing outputs two (GEMMs of 2, 4 and 8 steps: 56, 76 and 84 % of the peak). Bands have not
/// been timed on tiles, so they must gain a tenth by this estimate.
[[nodiscard]] constexpr tile_blocking in_bands(const conv2d_shape& s, const tile_blocking& p) {
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
      // With no more rows than the stride, bands have about as many bytes as the image.
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
  tile_blocking t = cut_into_tiles(flattened(banded(s, best)));
  t.bands = best;
  return t;
}

/// The blocking of a dense layer on tiles.
[[nodiscard]] constexpr tile_blocking tile_blocking_of(const conv2d_shape& shape) {
  const conv2d_shape s = flattened(shape);
  const tile_blocking p = cut_into_tiles(s);
  const bool strided = s.stride_h > 1 || s.stride_w > 1;
  if (s.kernel_h == 1 && s.kernel_w == 1 && s.padding_h == 0 && s.padding_w == 0 && strided) {
    tile_blocking flat = cut_into_tiles(gathered(s));
    flat.gathered = true;
    if (flat.cycles() + copy_cycles(flat) < p.cycles()) return flat;
  }
  return in_bands(s, p);
}

}  // namespace ctq::kernels::simd
