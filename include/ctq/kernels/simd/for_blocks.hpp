// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace ctq::kernels::simd {

/// Processes 0 … count - 1 in blocks of Block elements; the last one is moved back to end with the
/// operand, so that nothing outside is accessed. store(i, x) writes the result x of compute(i). The
/// last block is computed first, before its input is overwritten, so the operation may be in place.
/// Fewer elements than a block are processed by element(i).
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

}  // namespace ctq::kernels::simd
