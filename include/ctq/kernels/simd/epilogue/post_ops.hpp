// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/kernels/epilogue.hpp"
#include "ctq/kernels/reference/binary_add.hpp"
#include "ctq/kernels/simd/arch/fixed_point_sum_avx512.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/arch/tables/table_lookup.hpp"
#include "ctq/kernels/simd/elementwise/dequantize_apply_quantize.hpp"
#include "ctq/kernels/simd/elementwise/fixed_point_sum.hpp"
#include "ctq/kernels/simd/epilogue/epilogue_rows.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

// The post-ops of an epilogue on registers.

namespace ctq::kernels::simd {

/// A register of bytes in the form that byte_dequantizer takes: see its load.
template <vectorized Isa, quantized Q>
[[nodiscard, gnu::always_inline]] inline batch<Isa, std::uint8_t> part_bits(
    const batch<Isa, Q>& q) noexcept {
  using bits = batch<Isa, std::uint8_t>;
  const auto x = std::bit_cast<bits>(q);
  return std::is_signed_v<Q> ? x ^ bits(std::uint8_t{128}) : x;
}

/// A post-op with its constants, precomputed once per call. `on` applies it to a register of
/// quantized values, operator() to a single one; place and index are their position in the output.
template <class PostOp>
class prepared_post_op;

template <quantized Q>
class prepared_post_op<lookup_table<Q>> {
 public:
  constexpr explicit prepared_post_op(const lookup_table<Q>& s) : table_(s.table) {}

  [[nodiscard]] Q operator()(Q q, std::ptrdiff_t) const noexcept {
    return table_[static_cast<std::uint8_t>(q)];
  }
  template <vectorized Isa, class Place>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> on(const batch<Isa, Q>& q,
                                                     const Place&) const noexcept {
    return look_up<Isa>(table_, q);
  }

 private:
  const Q* table_;
};

/// As binary_add: with integers if the instruction set supports it and no sum is close to a tie,
/// else with floats.
template <quantized Q>
class prepared_post_op<residual_add<Q>> {
  static constexpr int offset = std::is_signed_v<Q> ? 128 : 0;

 public:
  constexpr explicit prepared_post_op(const residual_add<Q>& s)
      : other_(s.other),
        from_(s.from),
        other_q_(s.other_q),
        to_(s.relu ? with_relu(quantizer_of(s.to)) : quantizer_of(s.to)),
        fits_(scaled_fits_int32(s.from.scale, to_) && scaled_fits_int32(s.other_q.scale, to_)),
        fixed_(s.from.scale, s.from.zero_point + offset, s.other_q.scale,
               s.other_q.zero_point + offset, to_, s.to.zero_point + offset),
        is_fixed_(fits_ && fixed_.usable()) {}

  [[nodiscard]] Q operator()(Q q, std::ptrdiff_t index) const noexcept {
    return reference::quantize<Q>(reference::binary_add(q, from_, other_[index], other_q_), to_);
  }
  template <vectorized Isa, class Place>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> on(const batch<Isa, Q>& q,
                                                     const Place& place) const noexcept {
    if constexpr (isa::includes<Isa, isa::avx512>) {
      if (is_fixed_) [[likely]]
        return in_integers<Isa>(q, place);
      return slow_path<Isa>(*this, q, place);
    } else {
      return fits_ ? in_floats<Isa>(q, place) : slow_path<Isa>(*this, q, place);
    }
  }

 private:
  template <vectorized Isa, class Place>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> in_integers(const batch<Isa, Q>& q,
                                                              const Place& place) const noexcept {
    using bytes = batch<Isa, std::uint8_t>;
    const auto bits = [](const batch<Isa, Q>& x) __attribute__((always_inline)) {
      return static_cast<typename bytes::register_type>(part_bits<Isa>(x));
    };
    bool near_tie;
    const fixed_point_sum_lanes<Isa> fixed(fixed_);
    bytes sum(fixed(bits(q), bits(place.load(other_)), near_tie));
    if (near_tie) [[unlikely]]
      return slow_path<Isa>(*this, q, place);
    const output_range range = output_range_of(to_);
    sum = xsimd::min(xsimd::max(sum, bytes(static_cast<std::uint8_t>(range.lo + offset))),
                     bytes(static_cast<std::uint8_t>(range.hi + offset)));
    if constexpr (offset != 0) sum = sum ^ bytes(std::uint8_t{offset});
    return batch<Isa, Q>(static_cast<typename bytes::register_type>(sum));
  }
  template <vectorized Isa, class Place>
  [[nodiscard, gnu::always_inline]] batch<Isa, Q> in_floats(const batch<Isa, Q>& q,
                                                            const Place& place) const noexcept {
    const std::type_identity<Q> of;
    const byte_dequantizer<Isa> from_a(from_, of);
    const byte_dequantizer<Isa> from_b(other_q_, of);
    const batch<Isa, float> inverse(to_.inverse);
    const auto x = part_bits<Isa>(q);
    const auto y = part_bits<Isa>(place.load(other_));
    return float_narrower<Isa>(output_range_of(to_))
        .template bytes<Q>([&](auto k) __attribute__((always_inline)) {
          return (rounded<Isa>(from_a.template part<k>(x)) +
                  rounded<Isa>(from_b.template part<k>(y))) *
                 inverse;
        });
  }
  /// Out of line: sums close to a tie; on AVX-512 all sums if fixed point cannot be used; scales so
  /// far apart that results exceed int32. Takes the post-op by value, since one whose address
  /// escapes could not stay in registers.
  template <vectorized Isa, class Place>
  [[nodiscard, gnu::noinline]] static batch<Isa, Q> slow_path(const prepared_post_op op,
                                                              const batch<Isa, Q> q,
                                                              const Place place) noexcept {
    if (op.fits_) return op.template in_floats<Isa>(q, place);
    Q buffer[batch<Isa, Q>::size];
    q.store_unaligned(buffer);
    place.for_each([&](int i, std::ptrdiff_t index) { buffer[i] = op(buffer[i], index); });
    return batch<Isa, Q>::load_unaligned(buffer);
  }

  const Q* other_;
  qparams from_, other_q_;
  quantizer to_;
  bool fits_;  // see scaled_fits_int32
  fixed_point_sum fixed_;
  bool is_fixed_;
};

template <class... PostOp>
using prepared_post_ops = post_op_chain<prepared_post_op<PostOp>...>;

template <vectorized Isa, quantized Q, class Place>
[[nodiscard, gnu::always_inline]] inline batch<Isa, Q> apply(const post_op_chain<>&,
                                                             const batch<Isa, Q>& q,
                                                             const Place&) noexcept {
  return q;
}
template <vectorized Isa, quantized Q, class Place, class First, class... Next>
[[nodiscard, gnu::always_inline]] inline batch<Isa, Q> apply(const post_op_chain<First, Next...>& s,
                                                             const batch<Isa, Q>& q,
                                                             const Place& place) noexcept {
  return apply<Isa, Q>(s.next, s.first.template on<Isa>(q, place), place);
}

template <quantized Q>
[[nodiscard]] inline Q apply_one(const post_op_chain<>&, Q q, std::ptrdiff_t) noexcept {
  return q;
}
template <quantized Q, class First, class... Next>
[[nodiscard]] inline Q apply_one(const post_op_chain<First, Next...>& s, Q q,
                                 std::ptrdiff_t index) noexcept {
  return apply_one(s.next, s.first(q, index), index);
}

/// Applies the post-ops to rows of Width quantized values and stores the first `count` of each row
/// to out, rows `stride` apart. `index` is the position of the first in the output. One function
/// for all tiles of all shapes: constants are loaded into registers once per call.
template <class Isa, int Width, quantized Q, class... PostOp>
[[gnu::noinline]] void apply_and_store_rows(const post_op_chain<PostOp...>& post_ops, const Q* from,
                                            int rows, std::ptrdiff_t index, Q* out,
                                            std::ptrdiff_t stride, int count) noexcept {
  const post_op_chain<PostOp...> local = post_ops;  // a copy, so that stores to out cannot alias it
  if constexpr (vectorized<Isa>) {
    for_row_parts<Isa, Width>(
        rows, index, stride,
        count, [&]<class I>(I, const auto& place, const auto& row) __attribute__((always_inline)) {
          place.store(apply<I, Q>(local, row.load(from), place), out);
        });
  } else {
    for (int row = 0; row < rows; ++row) {
      for (int i = 0; i < Width && i < count; ++i) {
        const std::ptrdiff_t at = index + row * stride + i;
        out[at] = apply_one(local, from[row * Width + i], at);
      }
    }
  }
}

}  // namespace ctq::kernels::simd
