// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/core/kernel_signature.hpp"
#include "ctq/kernels/simd/convolution/geometry.hpp"
#include "ctq/kernels/simd/unroll.hpp"

// The weights of a panel, register by register, as a tile wants them. Where an instruction set
// multiplies numbers wider than weights, they are packed as bytes all the same: few pixels take as
// long as it takes to read them (1x4096x4096 on AVX2, Zen 4: 0.35 instead of 1.1 ms). To widen them
// again for each of many pixels would be work: the first tile of a panel does it and leaves what it
// made for the others (2048^3: 94 % of the peak; packed as words, which the caches hold half as
// many of, 91 %).

namespace ctq::kernels::simd {

/// Registers of biases or of what dot takes, one after the other.
template <class Dot, int Vectors>
[[gnu::always_inline]] inline void load(typename Dot::vec (&to)[Vectors], const std::byte* from) {
  unroll<Vectors>([&](auto v) __attribute__((always_inline)) {
    to[v] = Dot::load(from + v * block_layout<Dot>::vec_bytes);
  });
}

/// Satisfied by a dot_arch whose packed weights are narrower than what dot takes: widened(p) is a
/// register of them, save(p, vec) keeps it.
template <class Dot>
concept widens_weights = requires(std::byte* p, typename Dot::vec v) {
  { Dot::widened(p) } -> std::same_as<typename Dot::vec>;
  Dot::save(p, v);
};

/// As they are packed for Packed, of whose registers Dot's are the first part.
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

/// As they are packed, and left as widened_weights reads them.
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

/// Room in the workspace for the widened weights of a panel; 0 if each has but one tile.
template <class Dot>
[[nodiscard]] constexpr std::size_t wide_panel_bytes(const conv2d_shape& s) {
  if constexpr (widens_weights<Dot>) {
    if (tiles_of(s.out_h(), s.out_w(), Dot::tile_rows).count() > 1) {
      const auto steps = static_cast<std::size_t>(runs_of<Dot>(s).total_steps());
      return round_up(2 * steps * block_layout<Dot>::vec_bytes, 64);
    }
  }
  return 0;
}

}  // namespace ctq::kernels::simd
