// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Sizes of the kernels that read words and sequences, as those of core/kernel_signature.hpp.

namespace ctq {

/// What an embedding bag computes of the rows of a bag.
enum class bag_mode : int { sum, mean, max };

/// Rows of a table that are looked up; in bags, a row of the output for each bag of indices.
struct embedding_shape {
  int indices{};
  int rows{}, width{};     // of the table
  int bits = 32;           // of its elements: 32 of floats; 8, 4 of integers
  int bags{};              // of embedding_bag alone, as what follows
  bag_mode mode{};         //
  int has_offsets{};       // 1: where bags begin is given; 2: and where the last one ends; 0: they
                           // have as many indices each
  int padding_index = -1;  // an index that is ignored; -1: none

  friend constexpr bool operator==(const embedding_shape&, const embedding_shape&) = default;
};

}  // namespace ctq
