// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace ctq::kernels::simd {

/// Operands that pass by once, larger than the caches of one core: there stores go around them,
/// which spares memory the read of each line that is written.
inline constexpr std::int64_t beyond_caches = std::int64_t{32} << 20;

/// Covers 0 … count - 1 with blocks of Block elements, the last one moved back so that it ends
/// with the operand: nothing outside is touched. compute(i) gives what store(i, …) writes. The last
/// block is computed first, before its input is overwritten, which makes in-place work safe.
/// Fewer elements than a block go to element(i), one by one.
template <int Block, class Compute, class Store, class Element>
[[gnu::always_inline]] inline void for_blocks(int count, Compute compute, Store store,
                                              Element element) noexcept {
  if (count < Block) {
    for (int i = 0; i < count; ++i) element(i);
    return;
  }
  const int last = count - Block;
  const auto kept = compute(last);
  for (int i = 0; i < last; i += Block) store(i, compute(i));
  store(last, kept);
}

/// The same for results that are not wanted soon: if there are many, stream(i, …) writes those
/// that start on a multiple of a block, and done() ends it. Reads `read` bytes an element.
/// Requires  the operands do not overlap
template <int Block, class T, class Compute, class Store, class Stream, class Done, class Element>
[[gnu::always_inline]] inline void for_blocks_once(int count, const T* out, int read,
                                                   Compute compute, Store store, Stream stream,
                                                   Done done, Element element) noexcept {
  const auto past = reinterpret_cast<std::uintptr_t>(out) % (Block * sizeof(T));
  if (std::int64_t{count} * (read + static_cast<int>(sizeof(T))) < beyond_caches ||
      past % sizeof(T) != 0) {
    return for_blocks<Block>(count, compute, store, element);
  }
  const int last = count - Block;
  store(0, compute(0));
  for (int i = Block - static_cast<int>(past / sizeof(T)); i < last; i += Block) {
    stream(i, compute(i));
  }
  store(last, compute(last));
  done();
}

}  // namespace ctq::kernels::simd
