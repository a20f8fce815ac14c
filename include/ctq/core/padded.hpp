// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>

// Small structs in a block of fixed size, zero behind them: how a node keeps the options of any op
// and a key the sizes of any kernel. One bit_cast each way; a loop over words in its place would be
// most of what a model costs the compiler.

namespace ctq {

template <class T, std::size_t Bytes>
struct padded {
  T value{};
  unsigned char rest[Bytes - sizeof(T)]{};
};

template <class T, std::size_t Bytes>
requires(sizeof(T) == Bytes) struct padded<T, Bytes> {
  T value{};
};

/// Satisfied by structs without padding bytes that a block of so many bytes can hold.
template <class T, std::size_t Bytes>
concept fits_in = sizeof(T) <= Bytes && sizeof(T) % 4 == 0 && alignof(T) <= 4;

template <class Block, fits_in<sizeof(Block)> T>
[[nodiscard]] constexpr Block to_block(T value) {
  return std::bit_cast<Block>(padded<T, sizeof(Block)>{value});
}

template <class T, class Block>
requires fits_in<T, sizeof(Block)>
[[nodiscard]] constexpr T from_block(const Block& block) {
  return std::bit_cast<padded<T, sizeof(Block)>>(block).value;
}

}  // namespace ctq
