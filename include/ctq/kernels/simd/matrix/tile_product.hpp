// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/geometry.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"
#include "ctq/kernels/simd/matrix/tile_walk.hpp"

// The core of conv2d and linear on AMX tiles: a block of pixels times a panel of output channels,
// without im2col. Tiles of pixels are loaded from the image, with a stride, so matrix products, 1x1
// and 3x3 convolutions and images in bands (row_bands.hpp) differ in numbers only.
//
// Blocks are pipelined. The accumulators of a block are in tiles 0 to 3; each is stored right
// before the next block overwrites that tile, since four consecutive stores would stall (512^3: 57
// instead of 81 % of the peak). They are then requantized, a few rows per step of the next block,
// so that vector instructions run while the tiles multiply.

namespace ctq::kernels::simd {

/// The destination of the outputs of a block of pixels and channels, and the multipliers of its
/// panel.
template <class Out, int M>
struct block_output {
  Out* rows[M];  // the first output of each tile of pixels
  const float* multipliers;
  int channels;
};

/// Requantizes and stores a block: M tiles of `rows` rows of N * 16 accumulators each.
template <class Tile, int M, int N, class Out>
class row_writer {
 public:
  [[gnu::always_inline]] row_writer(const block_output<Out, M>& to,
                                    const std::int32_t* accumulators, int rows,
                                    std::ptrdiff_t stride)
      : requantize_(to.multipliers, to.channels),
        accumulators_(accumulators),
        out_(to.rows[0]),
        stride_(stride),
        rows_(rows),
        remaining_(rows * M),
        remaining_of_tile_(rows) {
    unroll<M - 1>([&](auto i) __attribute__((always_inline)) { next_rows_[i] = to.rows[i + 1]; });
  }

  /// Writes the next `count` rows, or those that remain.
  [[gnu::always_inline]] void write(int count, const typename Tile::bounds& to) {
    count = std::min(count, remaining_);
    remaining_ -= count;
    for (; count > 0; --count) {
      requantize_(accumulators_, to, out_);
      accumulators_ += N * tile_format::lanes;
      out_ += stride_;
      if constexpr (M > 1) {
        if (--remaining_of_tile_ == 0) next_tile();
      }
    }
  }
  [[gnu::always_inline]] void finish(const typename Tile::bounds& to) { write(remaining_, to); }

 private:
  [[gnu::always_inline]] void next_tile() {
    remaining_of_tile_ = rows_;
    out_ = next_rows_[0];
    unroll<M - 2>([&](auto i)
                      __attribute__((always_inline)) { next_rows_[i] = next_rows_[i + 1]; });
  }

  typename Tile::template requantizer<N> requantize_;
  const std::int32_t* accumulators_;
  Out* out_;
  Out* next_rows_[M > 1 ? M - 1 : 1];
  std::ptrdiff_t stride_;
  int rows_, remaining_, remaining_of_tile_;
};

/// The contents of each tile, for blocks of M tiles of pixels and N of channels: 0 to 3
/// accumulators, the others operands. Four operands of one kind are each used once, so they share
/// three tiles.
template <int M, int N>
struct tile_roles {
  static_assert(M * N == 4);
  [[nodiscard]] static constexpr int accumulators(int m, int n) { return m * N + n; }
  [[nodiscard]] static constexpr int pixels(int m) { return M == 4 ? 5 + m % 3 : 4 + m; }
  [[nodiscard]] static constexpr int channels(int n) {
    return N == 4 ? 5 + n % 3 : N == 2 ? 6 + n : 4;
  }
  [[nodiscard]] static constexpr bool holds_pixels(int tile) {
    return M == 4 ? tile > 4 : tile >= 4 && tile < 4 + M;
  }
  [[nodiscard]] static constexpr tile_sizes sizes(const tile_blocking& p) {
    tile_sizes s{};
    const auto rows = static_cast<std::uint8_t>(p.rows);
    for (int t = 0; t < 8; ++t) {
      const bool activations = holds_pixels(t);
      s.rows[t] =
          t < 4 || activations ? rows : static_cast<std::uint8_t>(p.width / tile_format::k_group);
      s.row_bytes[t] = activations ? static_cast<std::uint8_t>(p.width) : tile_format::row_bytes;
    }
    return s;
  }
};

/// The initial accumulators of a block: those of the previous part of k, or the biases of the
/// panel, one row for all.
struct initial_accumulators {
  const std::byte* at;
  std::ptrdiff_t row;
};

/// One k step: adds the products of `width` bytes to the accumulators of a block. First: stores the
/// accumulators of the previous block to `stored` and loads the initial ones. Products of a tile
/// that tilezero has just cleared would wait for each other, 61 instead of 19 ns for four of them
/// on a Xeon with AMX at 3.4 GHz; loading rows of biases costs nothing.
template <int M, int N, bool First, bool StreamWeights, class In, class Tile>
[[gnu::always_inline]] inline void multiply(Tile& tiles, const In* const (&pixels)[M],
                                            std::ptrdiff_t at, std::ptrdiff_t pixel_stride,
                                            const std::byte* weights,
                                            const initial_accumulators& start, std::int32_t* stored,
                                            int rows) {
  using roles = tile_roles<M, N>;
  constexpr std::ptrdiff_t row_bytes = N * tile_format::row_bytes;
  unroll<M * N>([&](auto i) __attribute__((always_inline)) {
    constexpr int m = i / N;
    constexpr int n = i % N;
    constexpr int c = roles::accumulators(m, n);
    if constexpr (First) {
      tiles.template store<c>(stored + (m * rows * N + n) * tile_format::lanes, row_bytes);
      tiles.template load<c>(start.at + m * rows * start.row + n * tile_format::row_bytes,
                             start.row);
    }
    // One operand is streamed, the other stays in L1.
    if constexpr (n == 0 && StreamWeights) {
      tiles.template load<roles::pixels(m)>(pixels[m] + at, pixel_stride);
    } else if constexpr (n == 0) {
      tiles.template stream<roles::pixels(m)>(pixels[m] + at, pixel_stride);
    }
    if constexpr (m == 0 && StreamWeights) {
      tiles.template stream<roles::channels(n)>(weights + n * tile_format::row_bytes, row_bytes);
    } else if constexpr (m == 0) {
      tiles.template load<roles::channels(n)>(weights + n * tile_format::row_bytes, row_bytes);
    }
    tiles.template dot<c, roles::pixels(m), roles::channels(n), In>();
  });
}

/// All groups of one image, copied if input_copy_of requires it. Weights: from pack_tiles, with the
/// same blocking. Workspace: partial_accumulators_bytes
template <class Tile, int M, int N, bool StreamWeights, class In, class To, class Out>
[[gnu::always_inline]] inline void tile_product(const tile_blocking& p, const In* in,
                                                const std::byte* packed, const To& to, Out* out,
                                                std::byte* workspace) {
  const conv2d_shape s = p.shape;
  const strides by = strides_of(s);
  const int steps = p.runs.total_steps();
  constexpr std::ptrdiff_t row_bytes = N * tile_format::row_bytes;
  const std::size_t step_bytes =
      static_cast<std::size_t>(p.width / tile_format::k_group) * N * tile_format::row_bytes;
  const block_layout<tile_format> layout{N, static_cast<std::size_t>(p.packed_steps())};
  const typename Tile::bounds bounds(to);

  Tile tiles(tile_roles<M, N>::sizes(p));
  constexpr int block_accumulators = 4 * tile_format::rows * tile_format::lanes;
  alignas(64) std::int32_t accumulators[block_accumulators];
  auto* const partial = reinterpret_cast<std::int32_t*>(workspace);
  const auto multipliers = [&](const std::byte* panel) __attribute__((always_inline)) {
    return reinterpret_cast<const float*>(panel + layout.multipliers());
  };
  block_output<Out, M> done{{}, multipliers(packed), 0};  // the previous block
  std::int32_t* stored = accumulators;                    // its accumulators
  int rows_done = 0;                                      // its rows to requantize: all or none
  block_walk walk{p.blocks(), s.groups * p.panels, p.chunk, p.parts()};
  const int count = walk.blocks * walk.panels * walk.parts;
  const std::byte* ahead = packed;
  for (int q = 0; q < count; ++q, walk.next()) {
    const int group = walk.panel / p.panels;
    const int first_channel = walk.panel % p.panels * p.channels();
    const std::byte* const panel = packed + static_cast<std::size_t>(walk.panel) * layout.bytes();
    block_output<Out, M> now{
        {}, multipliers(panel), std::min(p.channels(), s.out_group() - first_channel)};
    const In* pixels[M];
    const int first_tile = std::min(walk.block * M, p.tiles - M);
    unroll<M>([&](auto m) __attribute__((always_inline)) {
      const int y = (first_tile + m) / p.tiles_per_row;
      const int x = std::min((first_tile + m) % p.tiles_per_row * p.rows, s.out_w() - p.rows);
      pixels[m] = in + y * by.y + x * by.x + group * s.in_group();
      now.rows[m] = out + (std::ptrdiff_t{y} * s.out_w() + x) * by.out + group * s.out_group() +
                    first_channel;
    });

    row_writer<Tile, M, N, Out> writer(done, accumulators, rows_done, by.out);
    const int first_step = walk.part * p.part;
    const int end_step = std::min(first_step + p.part, steps);
    const int rows_per_step = ceil_div(p.rows * M, end_step - first_step);
    const std::byte* weights =
        panel + layout.weights() + static_cast<std::size_t>(first_step) * step_bytes;
    std::int32_t* const of_block = partial + (walk.block - walk.first) * block_accumulators;
    const initial_accumulators start =
        walk.part == 0
            ? initial_accumulators{panel, 0}
            : initial_accumulators{reinterpret_cast<const std::byte*>(of_block), row_bytes};
    if (walk.block == walk.first) {
      ahead = weights + static_cast<std::size_t>(end_step - first_step) * step_bytes;
    }
    const auto prefetch = [&]() __attribute__((always_inline)) {
      for (int i = 0; i < p.prefetch_lines; ++i, ahead += 64) __builtin_prefetch(ahead, 0, 2);
    };
    step_walk k{p, by, first_step};
    k.at = p.start(first_step);
    multiply<M, N, true, StreamWeights>(tiles, pixels, k.at, by.x, weights, start, stored, p.rows);
    prefetch();
    writer.write(rows_per_step, bounds);
    for (int i = first_step + 1; i < end_step; ++i) {
      k.next();
      weights += step_bytes;
      multiply<M, N, false, StreamWeights>(tiles, pixels, k.at, by.x, weights, start, nullptr,
                                           p.rows);
      prefetch();
      writer.write(rows_per_step, bounds);
    }
    writer.finish(bounds);
    done = now;
    const bool complete = walk.part + 1 == walk.parts;
    stored = complete ? accumulators : of_block;
    rows_done = complete ? p.rows : 0;
  }
  unroll<M * N>([&](auto c) __attribute__((always_inline)) {
    const int first = (c / N * p.rows * N + c % N) * tile_format::lanes;
    tiles.template store<c>(accumulators + first, N * tile_format::row_bytes);
  });
  row_writer<Tile, M, N, Out>(done, accumulators, p.rows, by.out).finish(bounds);
}

/// The same, compiled once for all run-time shapes.
template <class Tile, int M, int N, bool StreamWeights, class In, class To, class Out>
[[gnu::noinline]] void shared_tile_product(const tile_blocking& p, const In* in,
                                           const std::byte* packed, const To& to, Out* out,
                                           std::byte* workspace) {
  tile_product<Tile, M, N, StreamWeights>(p, in, packed, to, out, workspace);
}

/// One image of any shape that is computed on tiles.
template <class Tile, class Shape, class In, class To, class Out>
[[gnu::always_inline]] inline void convolve_on_tiles(const Shape& shape, const In* in,
                                                     const std::byte* packed, const To& to,
                                                     Out* out, std::byte* workspace) {
  if constexpr (constant_shape<Shape>) {
    constexpr tile_blocking p = tile_blocking_of(Shape::value);
    tile_product<Tile, p.block.pixels, p.block.channels, p.chunk == 1>(p, in, packed, to, out,
                                                                       workspace);
  } else if constexpr (with_form<Shape>) {
    constexpr auto f = Shape::form;
    tile_product<Tile, f.block.pixels, f.block.channels, !f.chunked>(shape.tiles, in, packed, to,
                                                                     out, workspace);
  } else {
    const tile_blocking& p = tile_blocking_of(shape);
    unroll<std::size(tile_blocks)>([&](auto i) __attribute__((always_inline)) {
      constexpr tile_block b = tile_blocks[i];
      if (p.block != b) return;
      if (p.chunk == 1) {
        shared_tile_product<Tile, b.pixels, b.channels, true>(p, in, packed, to, out, workspace);
      } else {
        shared_tile_product<Tile, b.pixels, b.channels, false>(p, in, packed, to, out, workspace);
      }
    });
  }
}

}  // namespace ctq::kernels::simd
