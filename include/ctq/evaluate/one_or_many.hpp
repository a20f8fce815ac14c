// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

// A list that is almost always of one element: a tensor has one scale, or one for each channel.

namespace ctq {

/// A list of numbers, of which a single one is stored without an allocation.
template <class T>
class one_or_many {
 public:
  one_or_many() = default;
  one_or_many(std::initializer_list<T> all) : one_or_many(all.begin(), all.end()) {}  // NOLINT
  one_or_many(const std::vector<T>& all) : one_or_many(all.begin(), all.end()) {}     // NOLINT
  template <class Iterator>
  one_or_many(Iterator first, Iterator last) {
    for (; first != last; ++first) push_back(static_cast<T>(*first));
  }

  void push_back(T x) {
    if (empty()) {
      one_ = x;
      has_one_ = true;
      return;
    }
    if (has_one_) many_.push_back(one_);
    has_one_ = false;
    many_.push_back(x);
  }

  [[nodiscard]] std::size_t size() const { return has_one_ ? 1 : many_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] T* begin() { return has_one_ ? &one_ : many_.data(); }
  [[nodiscard]] T* end() { return begin() + size(); }
  [[nodiscard]] const T* begin() const { return has_one_ ? &one_ : many_.data(); }
  [[nodiscard]] const T* end() const { return begin() + size(); }
  [[nodiscard]] T& operator[](std::size_t i) { return begin()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return begin()[i]; }

  friend bool operator==(const one_or_many& a, const one_or_many& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  T one_{};
  bool has_one_ = false;  // else all are in many_
  std::vector<T> many_;
};

}  // namespace ctq
