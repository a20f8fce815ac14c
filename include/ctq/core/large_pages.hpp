// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Memory in large pages. Writing to a page for the first time interrupts the program; the weights
// of a large model have thousands of small pages, which take longer to get than to fill.

namespace ctq {

/// Whole large pages, as addresses.
struct page_range {
  std::uintptr_t begin{}, end{};

  [[nodiscard]] constexpr bool empty() const { return begin >= end; }
  [[nodiscard]] constexpr std::size_t size() const { return empty() ? 0 : end - begin; }
};

/// The large pages of x86-64, and of ARM with the usual small pages.
inline constexpr std::uintptr_t large_page_bytes = std::uintptr_t{2} << 20;

/// The large pages that lie in memory of `bytes` bytes from `address` on.
[[nodiscard]] constexpr page_range large_pages_in(std::uintptr_t address, std::size_t bytes) {
  const std::uintptr_t mask = large_page_bytes - 1;
  return {(address + mask) & ~mask, (address + bytes) & ~mask};
}

/// Asks the system for large pages for memory that has not been written yet. A system that has none
/// ignores it.
inline void prefer_large_pages([[maybe_unused]] void* memory,
                               [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const page_range pages = large_pages_in(address, bytes);
  if (pages.empty()) return;
  static_cast<void>(::madvise(static_cast<std::byte*>(memory) + (pages.begin - address),
                              pages.size(), MADV_HUGEPAGE));
#endif
}

}  // namespace ctq
