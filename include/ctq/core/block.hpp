// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>

// Small structs in a block of fixed size, padded with zeros: the options of any op in a node, and
// the shape of any kernel in a signature. One bit_cast each way; a loop over words instead would
// dominate the compile time of models.

namespace ctq {

template <class T, std::size_t Bytes>
struct padded {
  T value{};
  unsigned rest[(Bytes - sizeof(T)) / 4]{};  // few, since each element costs the compiler
};

template <class T, std::size_t Bytes>
requires(sizeof(T) == Bytes) struct padded<T, Bytes> {
  T value{};
};

/// Satisfied by structs without padding bytes that fit in a block of that many bytes.
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
