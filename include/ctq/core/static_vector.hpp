// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

// A list in a constant: at most Capacity elements, no allocation, usable in constant expressions.

namespace ctq {

template <class T, std::size_t Capacity>
struct static_vector {
  T item[Capacity == 0 ? 1 : Capacity]{};
  std::size_t count{};

  /// False, and no change, when the list is full.
  constexpr bool push_back(const T& value) {
    if (count == Capacity) return false;
    item[count++] = value;
    return true;
  }
  constexpr void clear() { count = 0; }

  [[nodiscard]] constexpr std::size_t size() const { return count; }
  [[nodiscard]] constexpr bool empty() const { return count == 0; }
  [[nodiscard]] constexpr const T* data() const { return item; }
  [[nodiscard]] constexpr const T* begin() const { return item; }
  [[nodiscard]] constexpr const T* end() const { return item + count; }
  [[nodiscard]] constexpr T* begin() { return item; }
  [[nodiscard]] constexpr T* end() { return item + count; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return item[i]; }
  [[nodiscard]] constexpr T& operator[](std::size_t i) { return item[i]; }
  [[nodiscard]] constexpr const T& back() const { return item[count - 1]; }
  [[nodiscard]] constexpr T& back() { return item[count - 1]; }

  friend constexpr bool operator==(const static_vector&, const static_vector&) = default;
};

}  // namespace ctq
