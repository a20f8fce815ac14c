// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace ctq::kernels::simd {

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

}  // namespace ctq::kernels::simd
