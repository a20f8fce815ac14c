// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/core/unroll.hpp"
#include "ctq/kernels/simd/geometry.hpp"

// The weights of a panel, register by register. Where dot products take wider numbers than bytes,
// weights are packed as bytes nevertheless: with few pixels, reading them takes most of the time
// (1x4096x4096 on AVX2, Zen 4: 0.35 instead of 1.1 ms). With many pixels, the first tile of a panel
// widens them and stores the result for the other tiles (2048^3: 94 % of the peak; packed as 16-bit
// integers, of which caches hold half as many, 91 %).

namespace ctq::kernels::simd {

/// Contiguous registers of biases or operands of dot.
template <class Dot, int Vectors>
[[gnu::always_inline]] inline void load(typename Dot::vec (&to)[Vectors], const std::byte* from) {
  unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
    to[v] = Dot::load(from + v * block_layout<Dot>::vec_bytes);
  });
}

/// Satisfied by a dot_arch whose packed weights are narrower than the operands of dot: widened(p)
/// loads a register of them, save(p, vec) stores it.
template <class Dot>
concept widens_weights = requires(std::byte* p, typename Dot::vec v) {
  { Dot::widened(p) } -> std::same_as<typename Dot::vec>;
  Dot::save(p, v);
};

/// Weights packed for Packed, whose registers may be wider: Dot reads the first part of each.
template <class Dot, class Packed = Dot>
struct packed_weights {
  using packed = Packed;

  const std::byte* at;

  template <int Vectors>
  [[gnu::always_inline]] void next(typename Dot::vec (&to)[Vectors]) {
    unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
      const std::byte* const from = at + v * block_layout<Packed>::weight_bytes;
      if constexpr (widens_weights<Dot>) {
        to[v] = Dot::widened(from);
      } else {
        to[v] = Dot::load(from);
      }
    });
    at += Vectors * block_layout<Packed>::weight_bytes;
  }
};

/// The same, also stored where widened_weights reads them.
template <class Dot, class Packed = Dot>
struct widening_weights {
  using packed = Packed;

  packed_weights<Dot, Packed> from;
  std::byte* wide;

  template <int Vectors>
  [[gnu::always_inline]] void next(typename Dot::vec (&to)[Vectors]) {
    from.next(to);
    unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
      Dot::save(wide + v * block_layout<Dot>::vec_bytes, to[v]);
    });
    wide += Vectors * block_layout<Dot>::vec_bytes;
  }
};

template <class Dot, class Packed = Dot>
struct widened_weights {
  using packed = Packed;

  const std::byte* at;

  template <int Vectors>
  [[gnu::always_inline]] void next(typename Dot::vec (&to)[Vectors]) {
    load<Dot>(to, at);
    at += Vectors * block_layout<Dot>::vec_bytes;
  }
};

/// Bytes of the workspace for the widened weights of a panel; 0 if each panel has one tile only.
template <class Dot>
[[nodiscard]] constexpr std::size_t wide_panel_bytes(const conv2d_shape& s) {
  if constexpr (widens_weights<Dot>) {
    if (tiles_of(s.out_h(), s.out_w(), Dot::tile_rows).count() > 1) {
      const auto steps = static_cast<std::size_t>(runs_of<Dot>(s).total_steps());
      return packing::padded(2 * steps * block_layout<Dot>::vec_bytes);
    }
  }
  return 0;
}

}  // namespace ctq::kernels::simd
