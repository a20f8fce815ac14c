// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/list.hpp"

// The memory plan: every value gets a place in one arena, and two values share bytes only if one
// is dead before the other is written. Blocks are given and taken back in the order of execution,
// each in the smallest gap that holds it, so the cost is linear in the number of values for the
// few that live at a time.

namespace ctq {

inline constexpr std::size_t arena_alignment = 64;

[[nodiscard]] constexpr std::size_t align_up(std::size_t bytes) {
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

/// One value: written by step `written`, last read by step `read`.
struct buffer {
  std::size_t bytes{};
  int written{};
  int read{};
  std::size_t offset{};
};

/// Sets the offset of each buffer and returns the size of the arena. Buffers are sorted by the
/// step that writes them.
constexpr std::size_t plan_memory(list<buffer>& buffers) {
  list<std::size_t> live;  // indices of buffers in use, by offset
  std::size_t arena = 0;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    buffer& now = buffers[b];
    list<std::size_t> still;
    for (const std::size_t i : live)
      if (buffers[i].read >= now.written) still.push_back(i);
    const std::size_t bytes = align_up(now.bytes);
    std::size_t gap_begin = 0;
    std::size_t best = still.size();  // the gap before this live buffer; size(): behind the last
    std::size_t best_size = ~std::size_t{0};
    std::size_t best_offset = 0;
    for (std::size_t i = 0; i < still.size(); ++i) {
      const std::size_t gap = buffers[still[i]].offset - gap_begin;
      if (gap >= bytes && gap < best_size) {
        best = i;
        best_size = gap;
        best_offset = gap_begin;
      }
      gap_begin = buffers[still[i]].offset + align_up(buffers[still[i]].bytes);
    }
    now.offset = best == still.size() ? gap_begin : best_offset;
    live = {};
    for (std::size_t i = 0; i < still.size(); ++i) {
      if (i == best) live.push_back(b);
      live.push_back(still[i]);
    }
    if (best == still.size()) live.push_back(b);
    if (now.offset + bytes > arena) arena = now.offset + bytes;
  }
  return arena;
}

}  // namespace ctq
