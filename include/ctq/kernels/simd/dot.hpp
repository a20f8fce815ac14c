// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/compat.hpp"
#include "ctq/kernels/simd/arch/dot_scalar.hpp"
#include "ctq/kernels/simd/arch/dot_xsimd.hpp"

// What convolution and linear ask of an instruction set: registers of 32-bit sums and one
// operation, which adds k_group products to each of them. A new instruction set is one file in
// arch/ that specializes int8_dot.

namespace ctq::kernels::simd {

/// Satisfied by types with
///   element         an activation as dot wants it; others are converted on their way in
///   offset<In>      what is added to an activation of type In to make it an element
///   elements, save  optional: a register of elements from activations of another type
///   weight          a packed weight
///   vec, lanes      a register of `lanes` sums
///   k_group         products a lane: a register of weights holds lanes * k_group of them
///   load            a register from packed weights or biases, also from elements
///   widened         optional: see widens_weights
///   broadcast       k_group elements, in each lane
///   dot             acc + Σ a * b in each lane
///   interleave      k_group registers of channels, one a tap, to k_group registers ready for dot
///   interleave_half, interleave_pairs
///                   depthwise kernels by columns: half of that, and the same of two taps
///   column          the channel that a lane of a block of registers stands for
///   prepared        output_steps (of floats: relu) as store wants them
///   store           the sums of a block, as outputs, to memory
///   store_tile      optional: the same for all pixels of a tile
///   half, store_halves
///                   depthwise kernels by columns: the same of half of a block, then the other
///   places          optional: see two_row_dot
///   dot_pair        optional: see dots_in_pairs
///   tile_rows       dense kernels: how many pixels times two vecs of sums fit in the registers
///   depthwise_rows  depthwise kernels: how many pixels at once
template <class D>
concept dot_arch = requires(typename D::vec v, typename D::vec (&taps)[D::k_group], const void* p) {
  typename D::element;
  typename D::weight;
  { D::lanes* D::k_group* D::depthwise_rows } -> std::convertible_to<int>;
  { D::load(p) } -> std::same_as<typename D::vec>;
  { D::broadcast(p) } -> std::same_as<typename D::vec>;
  { D::dot(v, v, v) } -> std::same_as<typename D::vec>;
  {D::interleave(taps)};
  { D::column(1, 0, 0) } -> std::same_as<int>;
};

/// Sums in float32, one fma for each product, in order. sse4 and scalar multiply and add with two
/// roundings: there the result may differ from the reference in the last bits.
template <class Isa>
struct float_dot : float_scalar_dot<Isa> {};

template <vectorized Isa>
struct float_dot<Isa> : float_xsimd_dot<Isa> {};

/// Sums in int32, modulo 2^32, exact.
template <class Isa>
struct int8_dot : int32_scalar_dot<Isa> {};

template <vectorized Isa>
struct int8_dot<Isa> : int32_xsimd_dot<Isa> {};

/// What the depthwise kernel uses, where that is not int8_dot.
template <class Isa>
struct depthwise_dot : int8_dot<Isa> {};

/// What it uses by columns where channels fill wider registers than Dot's, with as many products a
/// lane (384 channels @14, Zen 4: 7.1 us with zmm, 8.9 with ymm).
template <class Dot>
struct wider {
  using type = Dot;
};
template <class Dot>
using wide_dot_of = typename wider<Dot>::type;

/// What it uses by columns for channels that fill half of a register of Dot's, but not all of it
/// (3x3, 16 channels @112 on AVX512-VNNI, Zen 4: 27 instead of 73 us).
template <class Dot>
struct halved {
  using type = Dot;
};
template <class Dot>
using halved_dot_of = typename halved<Dot>::type;

/// What dense kernels use for a panel whose channels fill half of a register of Dot's or less, on
/// weights that are packed for Dot, of whose registers it reads the first half: Zen 4 works on
/// twice as many narrow registers at once (1x1, 64 to 8 channels @28: 2.3 instead of 4.1 us).
template <class Dot>
struct narrower {
  using type = Dot;
};
template <class Dot>
using narrow_dot_of = typename narrower<Dot>::type;
/// Channels of such a panel. What is packed depends on it, so all that read weights packed for Dot
/// have the same, also those that have no narrow registers themselves (epilogue_dot).
template <class Dot>
inline constexpr int narrow_lanes = narrow_dot_of<Dot>::lanes;

/// Whether the first registers of a panel of one, packed for Packed, begin with what Dot wants.
template <class Dot, class Packed>
[[nodiscard]] constexpr bool reads_what_is_packed_for() {
  for (int lane = 0; lane < Dot::lanes; ++lane)
    if (Dot::column(1, 0, lane) != Packed::column(1, 0, lane)) return false;
  return Dot::k_group == Packed::k_group && Dot::lanes <= Packed::lanes &&
         std::is_same_v<typename Dot::element, typename Packed::element> &&
         std::is_same_v<typename Dot::weight, typename Packed::weight>;
}

}  // namespace ctq::kernels::simd
