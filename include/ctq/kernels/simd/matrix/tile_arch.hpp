// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "ctq/kernels/integer_arithmetic.hpp"

// The interface between convolution and linear layers and a matrix extension such as AMX: eight
// tile registers of up to 16 rows of 64 bytes, and one operation, which adds the product of two of
// them to a third. To add one, specialize int8_tile in a file in arch/.

namespace ctq::kernels::simd {

/// The used rows of each tile, and the used bytes of a row.
struct tile_sizes {
  std::uint8_t rows[8];
  std::uint8_t row_bytes[8];
};

/// The contents of the tiles of every tile_arch: rows of 16 accumulators (A · B), rows of 64
/// activations (A), and rows of 16 columns of four weights (B).
struct tile_format {
  using weight = std::int8_t;
  static constexpr int rows = 16;
  static constexpr int row_bytes = 64;
  static constexpr int lanes = 16;   // accumulators per row
  static constexpr int k_group = 4;  // products per lane and row of weights

  /// Added to an activation before dot: dot takes both signed and unsigned ones.
  template <class In>
  static constexpr int offset = 0;

  /// The channel, within its panel of `vectors` tiles, of a column of one of them: chosen such that
  /// narrowing registers, which works within 128 bits, leaves the channels in order.
  [[nodiscard]] static constexpr int column(int vectors, int vector, int lane) {
    return lane / 4 * 4 * vectors + vector * 4 + lane % 4;
  }
};

/// Satisfied by a tile_format whose objects are the tiles of a thread, of given sizes, with
///   load<T>(p, stride)     load tile T from rows that are `stride` bytes apart; 0: one row for all
///   stream<T>(p, stride)   the same, with a non-temporal hint
///   store<T>(p, stride)    store tile T
///   dot<C, A, B, In>()     C += A · B with activations of type In, uint8 or int8
///   requantizer<N>         constructed from the multipliers of a panel of N tiles and its number
///                          of channels; converts rows of N * 16 accumulators to outputs
template <class T>
concept tile_arch = std::derived_from<T, tile_format> && std::constructible_from<T, tile_sizes> &&
    requires(T tile, const std::byte* from, std::int32_t* accumulators,
             const typename T::bounds& to, std::uint8_t* out,
             const typename T::template requantizer<4>& requantize) {
  tile.template load<4>(from, 64);
  tile.template stream<4>(from, 64);
  tile.template store<0>(accumulators, 64);
  tile.template dot<0, 4, 6, std::uint8_t>();
  tile.template dot<0, 4, 6, std::int8_t>();
  requantize(accumulators, to, out);
};

/// The tiles of an instruction set.
template <class Isa>
struct int8_tile {};

/// Satisfied by instruction sets that have tiles.
template <class Isa>
concept has_tiles = tile_arch<int8_tile<Isa>>;

}  // namespace ctq::kernels::simd
