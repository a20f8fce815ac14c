// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

// A growable array for constant expressions and run time: a minimal std::vector for the passes,
// because parsing <vector> costs every translation unit more than the passes themselves; and for
// records at run time, because std::vector takes g++ 12 1.3 MB with each of them.

namespace ctq {

template <class T>
class list {
 public:
  constexpr list() = default;
  constexpr explicit list(std::integral auto n, const T& value = T{}) {
    reserve(n);
    for (; count_ < capacity_; ++count_) items_[count_] = value;
  }
  constexpr list(const T* items, std::size_t n) {
    reserve(n);
    for (; count_ < n; ++count_) items_[count_] = items[count_];
  }
  constexpr list(const list& other) : list(other.items_, other.count_) {}
  constexpr list(list&& other) noexcept
      : items_(std::exchange(other.items_, nullptr)),
        count_(std::exchange(other.count_, 0)),
        capacity_(std::exchange(other.capacity_, 0)),
        cleared_(other.cleared_) {}
  constexpr list& operator=(list other) noexcept {
    std::swap(items_, other.items_);
    std::swap(count_, other.count_);
    std::swap(capacity_, other.capacity_);
    std::swap(cleared_, other.cleared_);
    return *this;
  }
  constexpr ~list() { delete[] items_; }

  constexpr void reserve(std::integral auto wanted) {
    if (std::cmp_less_equal(wanted, capacity_)) return;
    const auto n = static_cast<std::size_t>(wanted);
    T* const bigger = new T[n]{};
    for (std::size_t i = 0; i < count_; ++i) bigger[i] = std::move(items_[i]);
    delete[] items_;
    items_ = bigger;
    capacity_ = n;
  }
  constexpr void push_back(const T& value) {
    if (count_ == capacity_) {
      const T copy = value;  // value may be an element of this list
      reserve(capacity_ == 0 ? 8 : 2 * capacity_);
      items_[count_++] = copy;
    } else {
      items_[count_++] = value;
    }
  }

  /// Appends a T{} and returns it, to be filled in place: copies of large records are slow to
  /// compile.
  constexpr T& emplace_back() {
    if (count_ == capacity_) reserve(capacity_ == 0 ? 8 : 2 * capacity_);
    T& added = items_[count_++];
    if (cleared_) added = T{};
    return added;
  }

  /// Keeps the first `count` items and the capacity.
  constexpr void truncate(std::integral auto count) {
    count_ = static_cast<std::size_t>(count);
    cleared_ = true;
  }
  constexpr void clear() { truncate(0); }

  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  [[nodiscard]] constexpr bool empty() const { return count_ == 0; }
  [[nodiscard]] constexpr const T* data() const { return items_; }
  [[nodiscard]] constexpr const T* begin() const { return items_; }
  [[nodiscard]] constexpr const T* end() const { return items_ + count_; }
  [[nodiscard]] constexpr T* begin() { return items_; }
  [[nodiscard]] constexpr T* end() { return items_ + count_; }
  // Takes any integer, to avoid casts at each use.
  [[nodiscard]] constexpr const T& operator[](std::integral auto i) const { return items_[i]; }
  [[nodiscard]] constexpr T& operator[](std::integral auto i) { return items_[i]; }
  [[nodiscard]] constexpr const T& back() const { return items_[count_ - 1]; }
  [[nodiscard]] constexpr T& back() { return items_[count_ - 1]; }

  friend constexpr bool operator==(const list& a, const list& b) {
    if (a.count_ != b.count_) return false;
    for (std::size_t i = 0; i < a.count_; ++i)
      if (!(a.items_[i] == b.items_[i])) return false;
    return true;
  }

 private:
  T* items_ = nullptr;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
  bool cleared_ = false;  // items after the last one may have been used
};

}  // namespace ctq
