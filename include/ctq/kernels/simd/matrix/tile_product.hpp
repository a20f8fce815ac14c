// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ctq/kernels/simd/convolution/geometry.hpp"
#include "ctq/kernels/simd/matrix/blocking.hpp"
#include "ctq/kernels/simd/matrix/tile_arch.hpp"
#include "ctq/kernels/simd/matrix/tile_walk.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// The core of conv2d and linear on tiles (AMX): a block of pixels times a panel of output channels,
// no im2col. Tiles of pixels are loaded in place, with a stride, so matrix products, 1x1 and 3x3
// convolutions and rows in bands (row_bands.hpp) differ in numbers only.
//
// A block passes two stages while the next one is computed. Its accumulators are in tiles 0 to 3,
// each stored right before the next block needs that tile, since four stores in a row would stall
// (512^3: 57 instead of 81 % of the peak). They are then requantized, a few rows per step, so that
// vector instructions run while the tiles multiply.

namespace ctq::kernels::simd {

/// Where the outputs of a block of pixels and channels go, and the multipliers of its panel.
template <class Out, int M>
struct block_output {
  Out* rows[M];  // where each tile of pixels begins
  const float* multipliers;
  int channels;
};

/// The last stage of a block: M tiles of `rows` rows of N * 16 sums each.
template <class Tile, int M, int N, class Out>
class row_writer {
 public:
  [[gnu::always_inline]] row_writer(const block_output<Out, M>& to, const std::int32_t* sums,
                                    int rows, std::ptrdiff_t stride)
      : requantize_(to.multipliers, to.channels),
        sums_(sums),
        out_(to.rows[0]),
        stride_(stride),
        rows_(rows),
        left_(rows * M),
        of_tile_(rows) {
    unroll<M - 1>([&](auto i) __attribute__((always_inline)) { others_[i] = to.rows[i + 1]; });
  }

  /// The next rows, `count` or what is left.
  [[gnu::always_inline]] void write(int count, const typename Tile::bounds& to) {
    count = std::min(count, left_);
    left_ -= count;
    for (; count > 0; --count) {
      requantize_(sums_, to, out_);
      sums_ += N * tile_format::lanes;
      out_ += stride_;
      if constexpr (M > 1) {
        if (--of_tile_ == 0) next_tile();
      }
    }
  }
  [[gnu::always_inline]] void finish(const typename Tile::bounds& to) { write(left_, to); }

 private:
  [[gnu::always_inline]] void next_tile() {
    of_tile_ = rows_;
    out_ = others_[0];
    unroll<M - 2>([&](auto i) __attribute__((always_inline)) { others_[i] = others_[i + 1]; });
  }

  typename Tile::template requantizer<N> requantize_;
  const std::int32_t* sums_;
  Out* out_;
  Out* others_[M > 1 ? M - 1 : 1];
  std::ptrdiff_t stride_;
  int rows_, left_, of_tile_;
};

/// Which tile holds what, for blocks of M tiles of pixels and N of channels: 0 to 3 sums, the rest
/// operands. Of four in a row each is needed once, so three take turns.
template <int M, int N>
struct tile_roles {
  static_assert(M * N == 4);
  [[nodiscard]] static constexpr int sums(int m, int n) { return m * N + n; }
  [[nodiscard]] static constexpr int pixels(int m) { return M == 4 ? 5 + m % 3 : 4 + m; }
  [[nodiscard]] static constexpr int channels(int n) {
    return N == 4 ? 5 + n % 3 : N == 2 ? 6 + n : 4;
  }
  [[nodiscard]] static constexpr bool holds_pixels(int tile) {
    return M == 4 ? tile > 4 : tile >= 4 && tile < 4 + M;
  }
  [[nodiscard]] static constexpr tile_sizes sizes(const tile_plan& p) {
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

/// Where the sums of a block start: from those of its part of k before, or from the biases of the
/// panel, one row for all.
struct first_sums {
  const std::byte* at;
  std::ptrdiff_t row;
};

/// One step of k: the sums of a block plus products of `width` bytes. First: the sums of the block
/// before leave for `stored`, and others start. They could start from zero, but products of a tile
/// that tilezero has just cleared wait for each other: 61 instead of 19 ns for four of them on a
/// Xeon with AMX at 3.4 GHz; rows of biases, loaded, cost nothing.
template <int M, int N, bool First, bool StreamWeights, class In, class Tile>
[[gnu::always_inline]] inline void multiply(Tile& tiles, const In* const (&pixels)[M],
                                            std::ptrdiff_t at, std::ptrdiff_t pixel_stride,
                                            const std::byte* weights, const first_sums& start,
                                            std::int32_t* stored, int rows) {
  using roles = tile_roles<M, N>;
  constexpr std::ptrdiff_t row_bytes = N * tile_format::row_bytes;
  unroll<M * N>([&](auto i) __attribute__((always_inline)) {
    constexpr int m = i / N;
    constexpr int n = i % N;
    constexpr int c = roles::sums(m, n);
    if constexpr (First) {
      tiles.template store<c>(stored + (m * rows * N + n) * tile_format::lanes, row_bytes);
      tiles.template load<c>(start.at + m * rows * start.row + n * tile_format::row_bytes,
                             start.row);
    }
    // One operand passes by once, the other stays in L1.
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

/// All groups of one image, copied if the plan or a border want that. Weights: from pack_tiles,
/// with the same plan. Workspace: waiting_sums_bytes
template <class Tile, int M, int N, bool StreamWeights, class In, class To, class Out>
[[gnu::always_inline]] inline void tile_product(const tile_plan& p, const In* in,
                                                const std::byte* packed, const To& to, Out* out,
                                                std::byte* workspace) {
  const conv2d_shape s = p.shape;
  const strides by = strides_of(s);
  const int steps = p.runs.total_steps();
  constexpr std::ptrdiff_t row_bytes = N * tile_format::row_bytes;
  const std::size_t step_bytes =
      static_cast<std::size_t>(p.width / tile_format::k_group) * N * tile_format::row_bytes;
  const block_layout<tile_format> layout{N, static_cast<std::size_t>(p.packed_steps())};
  const typename Tile::bounds ends(to);

  Tile tiles(tile_roles<M, N>::sizes(p));
  constexpr int block_sums = 4 * tile_format::rows * tile_format::lanes;
  alignas(64) std::int32_t sums[block_sums];
  auto* const waiting = reinterpret_cast<std::int32_t*>(workspace);
  const auto multipliers = [&](const std::byte* panel) __attribute__((always_inline)) {
    return reinterpret_cast<const float*>(panel + layout.multipliers());
  };
  block_output<Out, M> done{{}, multipliers(packed), 0};  // the last block
  std::int32_t* stored = sums;                            // where its sums go
  int rows_done = 0;                                      // if they become outputs
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
      const int y = (first_tile + m) / p.across;
      const int x = std::min((first_tile + m) % p.across * p.rows, s.out_w() - p.rows);
      pixels[m] = in + y * by.y + x * by.x + group * s.in_group();
      now.rows[m] = out + (std::ptrdiff_t{y} * s.out_w() + x) * by.out + group * s.out_group() +
                    first_channel;
    });

    row_writer<Tile, M, N, Out> writer(done, sums, rows_done, by.out);
    const int first_step = walk.part * p.part;
    const int end_step = std::min(first_step + p.part, steps);
    const int rows_a_step = ceil_div(p.rows * M, end_step - first_step);
    const std::byte* weights =
        panel + layout.weights() + static_cast<std::size_t>(first_step) * step_bytes;
    std::int32_t* const of_block = waiting + (walk.block - walk.first) * block_sums;
    const first_sums start =
        walk.part == 0 ? first_sums{panel, 0}
                       : first_sums{reinterpret_cast<const std::byte*>(of_block), row_bytes};
    if (walk.block == walk.first) {
      ahead = weights + static_cast<std::size_t>(end_step - first_step) * step_bytes;
    }
    const auto fetch_ahead = [&]() __attribute__((always_inline)) {
      for (int i = 0; i < p.ahead; ++i, ahead += 64) __builtin_prefetch(ahead, 0, 2);
    };
    step_walk k{p, by, first_step};
    k.at = p.start(first_step);
    multiply<M, N, true, StreamWeights>(tiles, pixels, k.at, by.x, weights, start, stored, p.rows);
    fetch_ahead();
    writer.write(rows_a_step, ends);
    for (int i = first_step + 1; i < end_step; ++i) {
      k.next();
      weights += step_bytes;
      multiply<M, N, false, StreamWeights>(tiles, pixels, k.at, by.x, weights, start, nullptr,
                                           p.rows);
      fetch_ahead();
      writer.write(rows_a_step, ends);
    }
    writer.finish(ends);
    done = now;
    const bool complete = walk.part + 1 == walk.parts;
    stored = complete ? sums : of_block;
    rows_done = complete ? p.rows : 0;
  }
  unroll<M * N>([&](auto c) __attribute__((always_inline)) {
    const int first = (c / N * p.rows * N + c % N) * tile_format::lanes;
    tiles.template store<c>(sums + first, N * tile_format::row_bytes);
  });
  row_writer<Tile, M, N, Out>(done, sums, p.rows, by.out).finish(ends);
}

/// The same, compiled once for all shapes that are not known to the compiler.
template <class Tile, int M, int N, class In, class To, class Out>
[[gnu::noinline]] void shared_tile_product(const tile_plan& p, const In* in,
                                           const std::byte* packed, const To& to, Out* out,
                                           std::byte* workspace) {
  tile_product<Tile, M, N, M == 4>(p, in, packed, to, out, workspace);
}

/// One image of any shape whose plan is on tiles.
template <class Tile, class Shape, class In, class To, class Out>
[[gnu::always_inline]] inline void convolve_on_tiles(const Shape& shape, const In* in,
                                                     const std::byte* packed, const To& to,
                                                     Out* out, std::byte* workspace) {
  if constexpr (constant_shape<Shape>) {
    constexpr tile_plan p = tile_plan_of(Shape::value);
    tile_product<Tile, p.block.pixels, p.block.channels, p.chunk == 1>(p, in, packed, to, out,
                                                                       workspace);
  } else {
    const tile_plan p = tile_plan_of(shape);
    unroll<std::size(tile_blocks)>([&](auto i) __attribute__((always_inline)) {
      constexpr tile_block b = tile_blocks[i];
      if (p.block == b) {
        shared_tile_product<Tile, b.pixels, b.channels>(p, in, packed, to, out, workspace);
      }
    });
  }
}

}  // namespace ctq::kernels::simd
