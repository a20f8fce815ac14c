// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/reference/embedding.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/arch/tables/nibble_table.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// Elements of a row that are looked up at once: integers of 4 bits are unpacked first.
inline constexpr int embedding_columns = 64;

/// Unpacks the two 4-bit integers of each of `count` bytes to one byte each, the lower one first.
[[gnu::always_inline]] inline void unpack_4bit(const std::uint8_t* from, int count,
                                               std::uint8_t* unpacked) noexcept {
  for (int i = 0; i < count; ++i) {
    unpacked[2 * i] = from[i] & 15;
    unpacked[2 * i + 1] = static_cast<std::uint8_t>(from[i] >> 4);
  }
}

/// The integers of a row from column x on, one in a byte. x is even.
[[nodiscard, gnu::always_inline]] inline const std::uint8_t* row_integers(
    const embedding_shape& s, const embedding_table& t, std::ptrdiff_t row, int x, int count,
    std::uint8_t* unpacked) noexcept {
  const auto* const from = static_cast<const std::uint8_t*>(t.rows) + row * bytes_of_row(s);
  if (s.bits == 8) return from + x;
  unpack_4bit(from + x / 2, (count + 1) / 2, unpacked);
  return unpacked;
}

/// Calls whole(i, register) for the elements x + i of a row, i < count, and rest(i, element) for
/// those that fill no register.
template <vectorized Isa, class Whole, class Rest>
[[gnu::always_inline]] inline void for_row(const embedding_shape& s, const embedding_table& t,
                                           std::ptrdiff_t row, int x, int count, Whole whole,
                                           Rest rest) noexcept {
  using floats = batch<Isa, float>;
  constexpr int lanes = float_lanes<Isa>;
  int i = 0;
  if (s.bits == 32) {
    const float* const from = static_cast<const float*>(t.rows) + row * s.width + x;
    for (; i + lanes <= count; i += lanes) whole(i, floats::load_unaligned(from + i));
    for (; i < count; ++i) rest(i, from[i]);
    return;
  }
  std::uint8_t unpacked[embedding_columns];
  const std::uint8_t* const integers = row_integers(s, t, row, x, count, unpacked);
  const floats zero_point(t.zero_point[row]), scale(t.scale[row]);
  const auto of = [&](const auto* from) __attribute__((always_inline)) {
    const auto at = [&](int j) __attribute__((always_inline)) {
      whole(j, rounded<Isa>((to_float<Isa>(widen<Isa>(from + j)) - zero_point) * scale));
    };
    if (count == embedding_columns)
      return unroll<embedding_columns / lanes>([&](auto j) __attribute__((always_inline)) {
        at(j * lanes);
      });
    for (; i + lanes <= count; i += lanes) at(i);
    for (; i < count; ++i)
      rest(i, no_contract((static_cast<float>(from[i]) - t.zero_point[row]) * t.scale[row]));
  };
  if (s.is_signed != 0) return of(reinterpret_cast<const std::int8_t*>(integers));
  of(integers);
}

/// Dequantizes embedding_columns elements from `from` on. Q: std::int8_t or std::uint8_t.
template <vectorized Isa, int Bits, quantized Q>
[[gnu::always_inline]] inline void dequantize_columns(const std::uint8_t* from, float zero_point,
                                                      float scale, float* out) noexcept {
  using floats = batch<Isa, float>;
  constexpr int lanes = float_lanes<Isa>;
  const auto value_of = [&](const Q* q) __attribute__((always_inline)) {
    return (to_float<Isa>(widen<Isa>(q)) - floats(zero_point)) * floats(scale);
  };
  if constexpr (Bits == 4 && has_nibble_table<Isa>) {
    alignas(64) static constexpr Q all[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    nibble_table<Isa>(value_of(all)).look_up_64(from, out);
    return;
  }
  alignas(64) std::uint8_t unpacked[embedding_columns];
  if constexpr (Bits == 4) {
    unpack_4bit(from, embedding_columns / 2, unpacked);
    from = unpacked;
  }
  unroll<embedding_columns / lanes>([&](auto j) __attribute__((always_inline)) {
    value_of(reinterpret_cast<const Q*>(from) + j * lanes).store_unaligned(out + j * lanes);
  });
}

/// Looks up the columns from x on, fewer than embedding_columns.
template <vectorized Isa>
[[gnu::noinline]] void embed_rest(const embedding_shape& s, const embedding_table& t,
                                  std::ptrdiff_t row, int x, float* out) noexcept {
  for_row<Isa>(
      s, t, row, x, s.width - x,
      [&](int at, const auto& y)
          __attribute__((always_inline)) { y.store_unaligned(out + x + at); },
      [&](int at, float y) __attribute__((always_inline)) { out[x + at] = y; });
}

/// Looks up rows of integers of `Bits` bits. Shape and table are passed by value, so that no store
/// may change them.
template <vectorized Isa, int Bits, quantized Q, class Index>
[[gnu::noinline]] void embed_integers(embedding_shape s, const Index* index, embedding_table t,
                                      float* out) noexcept {
  const std::ptrdiff_t row_bytes = bytes_of_row(s);
  const int whole = s.width / embedding_columns * embedding_columns;
  for (int i = 0; i < s.indices; ++i, out += s.width) {
    if (!is_in_table(s, index[i])) {
      std::fill_n(out, s.width, std::numeric_limits<float>::quiet_NaN());
      continue;
    }
    const auto row = static_cast<std::ptrdiff_t>(index[i]);
    const auto* const from = static_cast<const std::uint8_t*>(t.rows) + row * row_bytes;
    const float zero_point = t.zero_point[row], scale = t.scale[row];
    for (int x = 0; x < whole; x += embedding_columns)
      dequantize_columns<Isa, Bits, Q>(from + x * Bits / 8, zero_point, scale, out + x);
    if (whole < s.width) embed_rest<Isa>(s, t, row, whole, out);
  }
}

/// As reference::embedding, bit for bit.
template <class Isa, class Index>
[[gnu::noinline]] void embedding(const embedding_shape& s, const Index* index,
                                 const embedding_table& t, float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::embedding(s, index, t, out);
  } else if (s.bits == 8 && s.is_signed != 0) {
    embed_integers<Isa, 8, std::int8_t>(s, index, t, out);
  } else if (s.bits == 8) {
    embed_integers<Isa, 8, std::uint8_t>(s, index, t, out);
  } else if (s.bits == 4) {
    embed_integers<Isa, 4, std::uint8_t>(s, index, t, out);
  } else {
    for (int i = 0; i < s.indices; ++i, out += s.width) {
      if (is_in_table(s, index[i])) {
        const auto row = static_cast<std::ptrdiff_t>(index[i]);
        std::memcpy(out, static_cast<const float*>(t.rows) + row * s.width,
                    static_cast<std::size_t>(s.width) * sizeof(float));
      } else {
        std::fill_n(out, s.width, std::numeric_limits<float>::quiet_NaN());
      }
    }
  }
}

/// As reference::embedding_bag, bit for bit.
template <class Isa, class Index>
[[gnu::noinline]] void embedding_bag(const embedding_shape& s, const Index* index,
                                     const Index* offsets, const embedding_table& t,
                                     float* out) noexcept {
  if constexpr (!vectorized<Isa>) {
    reference::embedding_bag(s, index, offsets, t, out);
  } else {
    using floats = batch<Isa, float>;
    for (int b = 0; b < s.bags; ++b, out += s.width) {
      const index_range bag = bag_of(s, offsets, b);
      bool valid = bag.valid;
      int rows = 0;
      for (std::ptrdiff_t i = bag.first; valid && i < bag.end; ++i) {
        if (is_padding(s, index[i])) continue;
        valid = is_in_table(s, index[i]);
        ++rows;
      }
      std::fill_n(out, s.width, valid ? 0.0F : std::numeric_limits<float>::quiet_NaN());
      if (!valid || rows == 0) continue;
      const auto divisor = static_cast<float>(rows);
      for (int x = 0; x < s.width; x += embedding_columns) {
        const int count = std::min(embedding_columns, s.width - x);
        float* const to = out + x;
        bool first = true;
        for (std::ptrdiff_t i = bag.first; i < bag.end; ++i) {
          if (is_padding(s, index[i])) continue;
          const bool takes = first && s.mode == bag_mode::max;
          const bool most = s.mode == bag_mode::max;
          for_row<Isa>(
              s, t, static_cast<std::ptrdiff_t>(index[i]), x, count,
              [&](int at, const floats& y) __attribute__((always_inline)) {
                const floats total = floats::load_unaligned(to + at);
                const floats larger = xsimd::select(y > total, y, total);
                (takes ? y : most ? larger : total + y).store_unaligned(to + at);
              },
              [&](int at, float y) __attribute__((always_inline)) {
                to[at] = takes || (most && y > to[at]) ? y : most ? to[at] : to[at] + y;
              });
          first = false;
        }
        if (s.mode != bag_mode::mean) continue;
        constexpr int lanes = float_lanes<Isa>;
        int at = 0;
        for (; at + lanes <= count; at += lanes)
          divide<Isa>(floats::load_unaligned(to + at), floats(divisor)).store_unaligned(to + at);
        for (; at < count; ++at) to[at] /= divisor;
      }
    }
  }
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
