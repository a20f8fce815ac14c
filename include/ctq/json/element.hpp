// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/same_text.hpp"
#include "ctq/json/string.hpp"

// The values of a JSON text, and iteration over them.
//
// They are stored in one list in pre-order: an object is followed by its first key, the key by its
// value. `next` skips a value.

namespace ctq::json {

enum class kind : std::uint8_t { null, boolean, number, string, array, object };

/// The name of the type in RFC 8259; both booleans have one kind.
[[nodiscard]] constexpr std::string_view name_of(kind k) {
  constexpr std::string_view names[] = {"null", "boolean", "number", "string", "array", "object"};
  return names[static_cast<std::size_t>(k)];
}

/// A value in the list.
struct value {
  kind type{};
  bool has_escapes{};     // strings
  std::uint32_t begin{};  // [begin, end) in the text; a string's without its quotes
  std::uint32_t end{};
  std::uint32_t next{};       // the index after this value and its contents
  std::uint32_t count{};      // elements of an array, members of an object
  std::uint32_t unescaped{};  // of a string with escapes: where its value begins, after the text
  double number{};  // numbers; booleans: 0 or 1; strings with escapes: the bytes of their value
};
static_assert(sizeof(value) == 32);

struct member;
template <class Item>
class sequence;

/// A reference to a value in its text, or none. Two pointers and an index: pass it by value.
class element {
 public:
  constexpr element() = default;
  constexpr element(const value* values, const char* text, std::uint32_t index = 0)
      : values_(values), text_(text), index_(index) {}

  // Not by values_: g++ with -fsanitize=undefined will not compare the address of a constant with
  // null in a constant expression.
  [[nodiscard]] constexpr explicit operator bool() const { return index_ != none; }

  // Requires  bool(*this), for all members below
  [[nodiscard]] constexpr kind type() const { return values_[index_].type; }
  [[nodiscard]] constexpr double number() const { return values_[index_].number; }
  [[nodiscard]] constexpr bool boolean() const { return number() != 0; }

  /// The text of the value; a string without its quotes, with its escapes.
  [[nodiscard]] constexpr std::string_view text() const {
    const value& v = values_[index_];
    return {text_ + v.begin, v.end - v.begin};
  }
  [[nodiscard]] constexpr bool has_escapes() const { return values_[index_].has_escapes; }

  /// The value of a string, without escapes.
  /// Requires  the text is followed by what append_names() appends
  [[nodiscard]] constexpr std::string_view name() const {
    const value& v = values_[index_];
    return v.has_escapes ? std::string_view{text_ + v.unescaped, static_cast<std::size_t>(v.number)}
                         : text();
  }

  /// The offset of its first character in the text; for a string, of its quote.
  [[nodiscard]] constexpr std::uint32_t at() const {
    return values_[index_].begin - (type() == kind::string ? 1U : 0U);
  }

  /// Whether it is a string with this value, with or without escapes.
  [[nodiscard]] constexpr bool is(std::string_view wanted) const {
    if (type() != kind::string) return false;
    if (!has_escapes()) return same_text(text(), wanted);
    expected_text expected{wanted};
    append_unescaped(expected, text());
    return expected.met();
  }

  /// Elements of an array, members of an object, else 0.
  [[nodiscard]] constexpr std::uint32_t size() const { return values_[index_].count; }

  /// for (const element e : array.elements())
  [[nodiscard]] constexpr sequence<element> elements() const;
  /// for (const auto [key, value] : object.members())
  [[nodiscard]] constexpr sequence<member> members() const;
  /// The member of this name, the last one if there are several (as in Python), or none.
  [[nodiscard]] constexpr element find(std::string_view key) const;

  /// The first element of an array, or the first key of an object.
  [[nodiscard]] constexpr element first() const { return {values_, text_, index_ + 1}; }
  /// The value after this one and its contents.
  [[nodiscard]] constexpr element next() const { return {values_, text_, values_[index_].next}; }

  /// The same position.
  /// Requires  the same document
  friend constexpr bool operator==(element a, element b) { return a.index_ == b.index_; }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  const value* values_ = nullptr;
  const char* text_ = nullptr;
  std::uint32_t index_ = none;
};

struct member {
  element key;
  element value;
};

/// The elements of an array or the members of an object, for range-based for.
template <class Item>
class sequence {
 public:
  class iterator {
   public:
    constexpr explicit iterator(element at) : at_(at) {}

    [[nodiscard]] constexpr Item operator*() const {
      if constexpr (keyed)
        return {at_, at_.next()};
      else
        return at_;
    }
    constexpr iterator& operator++() {
      at_ = keyed ? at_.next().next() : at_.next();
      return *this;
    }
    friend constexpr bool operator==(iterator, iterator) = default;

   private:
    element at_;
  };

  constexpr explicit sequence(element of) : of_(of) {}

  [[nodiscard]] constexpr iterator begin() const { return iterator{of_.first()}; }
  [[nodiscard]] constexpr iterator end() const { return iterator{of_.next()}; }

 private:
  static constexpr bool keyed = std::same_as<Item, member>;

  element of_;
};

constexpr sequence<element> element::elements() const { return sequence<element>{*this}; }
constexpr sequence<member> element::members() const { return sequence<member>{*this}; }

constexpr element element::find(std::string_view key) const {
  element found;
  if (type() != kind::object) return found;
  for (const member m : members())
    if (m.key.is(key)) found = m.value;
  return found;
}

}  // namespace ctq::json
