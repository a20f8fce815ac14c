// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/embedding_table.hpp"
#include "ctq/kernels/simd/arch/tables/nibble_table.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

// The rows of a table of embeddings in registers.

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd::embeddings {

/// Elements that are read at once: a cache line of integers of 8 bits.
inline constexpr int block_columns = 64;

/// Unpacks `Count` integers of 4 bits to one byte each; of a byte, the lower half comes first.
template <int Count>
[[gnu::always_inline]] inline void unpack_4bit(const std::uint8_t* from,
                                               std::uint8_t* unpacked) noexcept {
  if constexpr (Count > 8) {
    for (int i = 0; i < Count / 2; ++i) {
      unpacked[2 * i] = from[i] & 15;
      unpacked[2 * i + 1] = static_cast<std::uint8_t>(from[i] >> 4);
    }
  } else {
    std::uint64_t x = 0;
    std::memcpy(&x, from, Count / 2);
    x = (x | x << 16) & 0x0000FFFF'0000FFFF;
    x = (x | x << 8) & 0x00FF00FF'00FF00FF;
    x = (x | x << 4) & 0x0F0F0F0F'0F0F0F0F;
    std::memcpy(unpacked, &x, Count);
  }
}

/// A row of integers of `Bits` bits, dequantized a register at a time.
template <vectorized Isa, int Bits, quantized Q>
class integer_row {
  using floats = batch<Isa, float>;
  static constexpr int lanes = float_lanes<Isa>;
  static constexpr bool looks_up = Bits == 4 && has_nibble_table<Isa>;

 public:
  [[gnu::always_inline]] integer_row(const std::uint8_t* from, const float& zero_point,
                                     const float& scale) noexcept
      : from_(from), zero_point_(zero_point), scale_(scale) {
    alignas(64) static constexpr Q all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    if constexpr (looks_up) values_ = nibble_table<Isa>(value_of(all));
  }

  /// y = the registers of elements from x on, which is even if they have 4 bits. The products may
  /// become part of a fused addition.
  template <int Count>
  [[gnu::always_inline]] void load(std::ptrdiff_t x, floats (&y)[Count]) const noexcept {
    const std::uint8_t* const from = from_ + x * Bits / 8;
    if constexpr (looks_up) return values_.look_up(from, y);
    alignas(64) std::uint8_t unpacked[Count * lanes];
    if constexpr (Bits == 4) unpack_4bit<Count * lanes>(from, unpacked);
    const auto* const integers = reinterpret_cast<const Q*>(Bits == 4 ? unpacked : from);
    unroll<Count>([&](auto j)
                      __attribute__((always_inline)) { y[j] = value_of(integers + j * lanes); });
  }

 private:
  [[nodiscard, gnu::always_inline]] floats value_of(const Q* q) const noexcept {
    return (to_float<Isa>(widen<Isa>(q)) - zero_point_) * scale_;
  }

  struct none {};

  const std::uint8_t* from_;
  floats zero_point_, scale_;
  [[no_unique_address]] std::conditional_t<looks_up, nibble_table<Isa>, none> values_;
};

/// A table of integers. Local to a kernel, so that no store may change its members.
template <vectorized Isa, int Bits, quantized Q>
class integer_table {
 public:
  /// Registers of a row begin at multiples of so many elements, which are a byte.
  static constexpr int alignment = 8 / Bits;

  integer_table(const embedding_shape& s, const embedding_table& t) noexcept
      : rows_(static_cast<const std::uint8_t*>(t.rows)),
        row_bytes_(bytes_of_row(s)),
        zero_point_(t.zero_point),
        scale_(t.scale) {}

  [[nodiscard, gnu::always_inline]] integer_row<Isa, Bits, Q> operator[](
      std::ptrdiff_t row) const noexcept {
    return {rows_ + row * row_bytes_, zero_point_[row], scale_[row]};
  }

 private:
  const std::uint8_t* rows_;
  std::ptrdiff_t row_bytes_;
  const float *zero_point_, *scale_;
};

/// A table of floats.
template <vectorized Isa>
class float_table {
  using floats = batch<Isa, float>;

  struct row {
    const float* from;

    template <int Count>
    [[gnu::always_inline]] void load(std::ptrdiff_t x, floats (&y)[Count]) const noexcept {
      unroll<Count>([&](auto j) __attribute__((always_inline)) {
        y[j] = floats::load_unaligned(from + x + j * static_cast<int>(floats::size));
      });
    }
  };

 public:
  static constexpr int alignment = 1;

  float_table(const embedding_shape& s, const embedding_table& t) noexcept
      : rows_(static_cast<const float*>(t.rows)), width_(s.width) {}

  [[nodiscard, gnu::always_inline]] row operator[](std::ptrdiff_t i) const noexcept {
    return {rows_ + i * width_};
  }

 private:
  const float* rows_;
  std::ptrdiff_t width_;
};

/// Calls whole(x, count) for `count` registers of a row of `width` elements that begin at x, a
/// constant; the last one may overlap the one before it. Calls rest(x) for the elements from x on
/// that fill no register: those of a short row, and the last one of an odd number of 4 bits.
///   Blocks  whether width is a multiple of block_columns
template <vectorized Isa, bool Blocks, class Table, class Whole, class Rest>
[[gnu::always_inline]] inline void for_columns(std::ptrdiff_t width, Whole whole,
                                               Rest rest) noexcept {
  constexpr int lanes = float_lanes<Isa>;
  constexpr std::integral_constant<int, block_columns / lanes> block;
  constexpr std::integral_constant<int, 1> one;
  std::ptrdiff_t x = 0;
  if constexpr (Blocks) {
    for (; x < width; x += block_columns) whole(x, block);
  } else {
    const std::ptrdiff_t aligned = width / Table::alignment * Table::alignment;
    if constexpr (lanes < 16)
      for (; x + block_columns <= width; x += block_columns) whole(x, block);
    for (; x + lanes <= width; x += lanes) whole(x, one);
    if (x < aligned && lanes <= aligned) {
      whole(aligned - lanes, one);
      x = aligned;
    }
    if (x < width) rest(x);
  }
}

/// Calls f with the type of a table, and whether its width is a multiple of block_columns.
template <vectorized Isa, class F>
[[gnu::always_inline]] inline void with_table(const embedding_shape& s, F f) noexcept {
  const auto call = [&](auto table) __attribute__((always_inline)) {
    if (s.width % block_columns == 0) return f(table, std::true_type{});
    f(table, std::false_type{});
  };
  if (s.bits == 32) return call(std::type_identity<float_table<Isa>>{});
  if (s.bits == 4) return call(std::type_identity<integer_table<Isa, 4, std::uint8_t>>{});
  if (s.is_signed != 0) return call(std::type_identity<integer_table<Isa, 8, std::int8_t>>{});
  call(std::type_identity<integer_table<Isa, 8, std::uint8_t>>{});
}

}  // namespace ctq::kernels::simd::embeddings

CTQ_END_AVX512
