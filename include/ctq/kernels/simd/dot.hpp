// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/simd/arch/dot_scalar.hpp"
#include "ctq/kernels/simd/arch/dot_xsimd.hpp"
#include "ctq/kernels/xsimd.hpp"

// The interface between the convolution and linear kernels and an instruction set: registers of
// 32-bit accumulators and one operation that adds k_group products to each lane. To add an
// instruction set, add one file to arch/ that specializes int8_dot.

namespace ctq::kernels::simd {

/// Satisfied by types that have the following members; templates, and those of dense kernels alone,
/// are not checked.
///   element         type of the activations that dot takes; others are converted when copied
///   offset<In>      added to an activation of type In to make it an element
///   elements, save  optional: load activations of another type as a register of elements, store it
///   weight          type of a packed weight
///   vec, lanes      a register of `lanes` accumulators
///   k_group         products per lane: a register of weights holds lanes * k_group of them
///   load            load a register of packed weights, biases or elements
///   widened         optional: see widens_weights
///   broadcast       the same k_group elements in each lane
///   dot             acc + Σ a * b in each lane
///   interleave      turn k_group registers of channels, one per tap, into k_group operands of dot
///   interleave_half, interleave_pairs
///                   depthwise kernels by columns: half of that result, and the same for two taps
///   column          the output channel of a lane in a block of registers
///   store_constants output_range (float: relu), precomputed for store
///   store           convert the accumulators of a block to outputs and store them
///   store_tile      optional: store for all pixels of a tile
///   half, store_halves
///                   depthwise kernels by columns: store in two calls, one per half of a block
///   rows_per_register
///                   optional: see two_row_dot
///   dot_pair        optional: see dots_in_pairs
///   tile_rows       dense kernels: pixels per tile; two vecs of accumulators per pixel fit in
///                   the registers
///   depthwise_rows  depthwise kernels: pixels computed at once
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

/// Accumulates in float32, one fma per product, in order. sse2, sse4 and scalar round product and
/// sum separately: the result may differ from the reference in the last bits.
template <class Isa>
struct float_dot : float_scalar_dot<Isa> {};

template <vectorized Isa>
struct float_dot<Isa> : float_xsimd_dot<Isa> {};

/// Accumulates in int32, exactly, modulo 2^32.
template <class Isa>
struct int8_dot : int32_scalar_dot<Isa> {};

template <vectorized Isa>
struct int8_dot<Isa> : int32_xsimd_dot<Isa> {};

/// The dot_arch of the depthwise kernel; specialized where it is not int8_dot.
template <class Isa>
struct depthwise_dot : int8_dot<Isa> {};

/// The dot_arch of the depthwise kernel by columns where the channels fill wider registers than
/// Dot's, with the same k_group (384 channels @14, Zen 4: 7.1 us with zmm, 8.9 us with ymm).
template <class Dot>
struct wider {
  using type = Dot;
};
template <class Dot>
using wide_dot_of = typename wider<Dot>::type;

/// The dot_arch of the depthwise kernel by columns where the channels fill half a register of
/// Dot's, but not all of it (3x3, 16 channels @112 on AVX512-VNNI, Zen 4: 27 instead of 73 us).
template <class Dot>
struct halved {
  using type = Dot;
};
template <class Dot>
using halved_dot_of = typename halved<Dot>::type;

/// The dot_arch of dense kernels for a panel whose channels fill half a register of Dot's or less.
/// The weights are packed for Dot; only the first half of each register is read. Zen 4 executes
/// twice as many instructions per cycle on the narrow registers (1x1, 64 to 8 channels @28: 2.3
/// instead of 4.1 us).
template <class Dot>
struct narrower {
  using type = Dot;
};
template <class Dot>
using narrow_dot_of = typename narrower<Dot>::type;
/// Channels of such a panel. The packed format depends on it, so every type that reads weights
/// packed for Dot has the same value, even without narrow registers of its own (epilogue_dot).
template <class Dot>
inline constexpr int narrow_lanes = narrow_dot_of<Dot>::lanes;

/// Whether Dot can read a panel of one vec that is packed for Packed.
template <class Dot, class Packed>
[[nodiscard]] constexpr bool reads_what_is_packed_for() {
  for (int lane = 0; lane < Dot::lanes; ++lane)
    if (Dot::column(1, 0, lane) != Packed::column(1, 0, lane)) return false;
  return Dot::k_group == Packed::k_group && Dot::lanes <= Packed::lanes &&
         std::is_same_v<typename Dot::element, typename Packed::element> &&
         std::is_same_v<typename Dot::weight, typename Packed::weight>;
}

}  // namespace ctq::kernels::simd
