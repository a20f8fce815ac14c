// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>  // std::ranges::enable_borrowed_range
#include <type_traits>
#include <utility>

// A non-owning view of contiguous elements: std::span, which it converts to and from. std::span
// checks iterator concepts with each element type, which takes g++ 12 1.5 to 3.5 MB and 12 to 37 ms
// for each; the library has dozens of them.

namespace ctq {

/// Whether the elements of a container, a view or a tensor can be seen as T: it has data(), begin()
/// and end(), and it lives longer than an expression, or T is const.
///   Range  as in a forwarding reference
template <class Range, class T>
concept viewable_as = requires(Range& r) {
  static_cast<T*>(r.data());
  r.end() - r.begin();
  requires std::is_same_v<const T, const std::remove_pointer_t<decltype(r.data())>>;
  requires std::is_const_v<T> || std::is_lvalue_reference_v<Range> ||
      std::ranges::enable_borrowed_range<std::remove_cv_t<Range>>;
};

/// Elements first[0], …, first[size - 1]. Nothing is checked.
///
/// Lifetime  that of the elements
template <class T>
class span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr span() = default;
  constexpr span(T* first, std::size_t size) : first_(first), size_(size) {}
  // NOLINTBEGIN(google-explicit-constructor)
  template <std::size_t Size>
  constexpr span(std::type_identity_t<T> (&elements)[Size]) : first_(elements), size_(Size) {}
  template <viewable_as<T> Range>
  constexpr span(Range&& range)
      : first_(range.data()), size_(static_cast<std::size_t>(range.end() - range.begin())) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] constexpr T* data() const { return first_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr std::size_t size_bytes() const { return size_ * sizeof(T); }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr T* begin() const { return first_; }
  [[nodiscard]] constexpr T* end() const { return first_ + size_; }

  [[nodiscard]] constexpr T& operator[](std::size_t i) const { return first_[i]; }
  [[nodiscard]] constexpr T& front() const { return first_[0]; }
  [[nodiscard]] constexpr T& back() const { return first_[size_ - 1]; }

  [[nodiscard]] constexpr span first(std::size_t count) const { return {first_, count}; }
  [[nodiscard]] constexpr span subspan(std::size_t offset) const {
    return {first_ + offset, size_ - offset};
  }
  [[nodiscard]] constexpr span subspan(std::size_t offset, std::size_t count) const {
    return {first_ + offset, count};
  }

 private:
  T* first_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
span(T*, std::size_t) -> span<T>;
template <class T, std::size_t Size>
span(T (&)[Size]) -> span<T>;
template <class Range>
span(Range&& range) -> span<std::remove_pointer_t<decltype(range.data())>>;

/// The same elements, as the bytes that they consist of.
template <class T>
[[nodiscard]] span<const std::byte> as_bytes(span<T> s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size_bytes()};
}

}  // namespace ctq

/// Its iterators outlive it, so that a temporary one converts to std::span.
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<ctq::span<T>> = true;
