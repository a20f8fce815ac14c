// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

// A non-owning view of contiguous constant items, as a member of records. Unlike a span, it
// compares its items, and its size is an int, as are all numbers of the passes.

namespace ctq {

template <class T>
struct view {
  const T* items{};
  int count{};

  [[nodiscard]] constexpr int size() const { return count; }
  [[nodiscard]] constexpr bool empty() const { return count == 0; }
  [[nodiscard]] constexpr const T* begin() const { return items; }
  [[nodiscard]] constexpr const T* end() const { return items + count; }
  [[nodiscard]] constexpr const T& operator[](std::integral auto i) const { return items[i]; }

  /// Compares items, not addresses.
  friend constexpr bool operator==(const view& a, const view& b) {
    if (a.count != b.count) return false;
    for (int i = 0; i < a.count; ++i)
      if (!(a.items[i] == b.items[i])) return false;
    return true;
  }
};

}  // namespace ctq
