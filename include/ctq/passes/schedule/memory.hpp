// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/packing.hpp"
#include "ctq/core/shape.hpp"

// The memory plan: every value gets a place in one arena, and two values share bytes only if one
// is dead before the other is written. Blocks are allocated and freed in the order of execution,
// each in the smallest gap that holds it, so the cost is linear in the number of values if few are
// alive at a time.

namespace ctq {

/// The bytes that a parameter or buffer takes among the constants of a schedule, which are
/// contiguous, in the order of their nodes.
template <class Node>
[[nodiscard]] constexpr std::size_t constant_bytes(const Node& n) {
  return packing::padded(numel(n.shape) * sizeof(float));
}

/// One value: written by step `written`, last read by step `read`.
struct buffer {
  std::size_t bytes{};
  int written{};
  int read{};
  std::size_t offset{};
};

/// Sets the offset of each buffer and returns the size of the arena. Buffers are sorted by the
/// step that writes them; those of 0 bytes are not in the arena.
///   live  workspace for `count` indices: the buffers in use, by offset
template <class Buffers, class Indices>
constexpr std::size_t plan_memory(Buffers& buffers, int count, Indices& live) {
  int lives = 0;
  std::size_t arena = 0;
  for (int b = 0; b < count; ++b) {
    if (buffers[b].bytes == 0) continue;
    const std::size_t bytes = packing::padded(buffers[b].bytes);
    std::size_t gap_begin = 0;
    std::size_t best_size = ~std::size_t{0};
    std::size_t best_offset = 0;
    int best = -1;  // the gap before this live buffer; -1: after the last
    int still = 0;
    for (int i = 0; i < lives; ++i) {
      const int other = live[i];
      if (buffers[other].read < buffers[b].written) continue;
      const std::size_t gap = buffers[other].offset - gap_begin;
      if (gap >= bytes && gap < best_size) {
        best = still;
        best_size = gap;
        best_offset = gap_begin;
      }
      gap_begin = buffers[other].offset + packing::padded(buffers[other].bytes);
      live[still++] = other;
    }
    if (best < 0) {
      best = still;
      best_offset = gap_begin;
    }
    for (int i = still; i > best; --i) live[i] = live[i - 1];
    live[best] = b;
    lives = still + 1;
    buffers[b].offset = best_offset;
    if (best_offset + bytes > arena) arena = best_offset + bytes;
  }
  return arena;
}

constexpr std::size_t plan_memory(list<buffer>& buffers) {
  list<int> live(buffers.size());
  return plan_memory(buffers, static_cast<int>(buffers.size()), live);
}

}  // namespace ctq
