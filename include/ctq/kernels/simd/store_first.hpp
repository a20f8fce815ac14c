// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>

// The last store of a row, whose length is known at run time.

namespace ctq::kernels::simd {

/// Copies the first `count` of `Bytes` bytes. A call of memcpy would save all registers of
/// accumulators, since none of them survives it; this is two stores that may overlap.
/// Requires  0 <= count <= Bytes · Bytes is a power of 2, at most 64 · out and bytes do not overlap
template <int Bytes>
[[gnu::always_inline]] inline void store_first(void* out, const void* bytes, int count) {
  static_assert(Bytes <= 64 && (Bytes & (Bytes - 1)) == 0);
  const auto size = static_cast<std::size_t>(count);
  if (__builtin_constant_p(count)) {
    std::memcpy(out, bytes, size);
    return;
  }
  auto* const to = static_cast<std::byte*>(out);
  const auto* const from = static_cast<const std::byte*>(bytes);
  if constexpr (Bytes == 1) {
    if (count == 1) *to = *from;
  } else {
    constexpr std::size_t part = Bytes / 2;
    // Compared as int, since g++ warns of what a negative count would read.
    if (count < Bytes / 2) return store_first<Bytes / 2>(out, bytes, count);
    std::byte first[part];
    std::byte last[part];
    std::memcpy(first, from, part);
    std::memcpy(last, from + size - part, part);
    std::memcpy(to, first, part);
    std::memcpy(to + size - part, last, part);
  }
}

}  // namespace ctq::kernels::simd
