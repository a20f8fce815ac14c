// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ctq/core/terminate.hpp"

// Functions that can fail at run time return a result<T>: the value, or an error with place and
// cause. The interface is that of std::expected, with two differences: reading a missing value
// aborts in every build, and operator* on a temporary returns by value. Needs neither exceptions
// nor RTTI.

namespace ctq {

/// A run-time error.
///   place  "weights.safetensors: tensor fc.weight", "node conv1, channel 7"
///   cause  "shape is [10, 64], the model needs [10, 128]"
struct error {
  std::string place;
  std::string cause;

  error() = default;
  // Not inlined: every return of a result would contain them, and compile slowly.
  [[gnu::cold, gnu::noinline]] error(std::string_view at, std::string_view why)
      : place(at), cause(why) {}
  [[gnu::cold, gnu::noinline]] error(const error& other) = default;
  [[gnu::cold, gnu::noinline]] error(error&& other) = default;
  [[gnu::cold, gnu::noinline]] error& operator=(const error& other) = default;
  [[gnu::cold, gnu::noinline]] error& operator=(error&& other) = default;
  [[gnu::cold, gnu::noinline]] ~error() = default;

  [[nodiscard, gnu::cold, gnu::noinline]] std::string message() const {
    return place.empty() ? cause : place + ": " + cause;
  }
};

/// Converts to a result with an error: return unexpected{error{...}}.
struct unexpected {
  error value;
};

[[nodiscard, gnu::cold, gnu::noinline]] inline unexpected fail(std::string_view place,
                                                               std::string_view cause) {
  return {error{place, cause}};
}

[[noreturn, gnu::cold, gnu::noinline]] inline void abort_without_value(const error& e) noexcept {
  abort_with_error("a result without a value was read: " + e.message());
}

template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result(T value) : has_value_(true), value_(std::move(value)) {}          // NOLINT
  result(unexpected e) : has_value_(false), error_(std::move(e.value)) {}  // NOLINT
  result(const result& other) requires std::is_copy_constructible_v<T> { construct(other); }
  result(result&& other) noexcept { construct(std::move(other)); }
  result& operator=(const result& other) requires std::is_copy_constructible_v<T> {
    return *this = result(other);
  }
  result& operator=(result&& other) noexcept {
    if (this == &other) return *this;
    destroy();
    construct(std::move(other));
    return *this;
  }
  ~result() { destroy(); }

  [[nodiscard]] bool has_value() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value(); }

  /// The value. Without one the program aborts with the error message.
  [[nodiscard]] T& operator*() & noexcept { return value(*this); }
  [[nodiscard]] const T& operator*() const& noexcept { return value(*this); }
  /// By value, unlike std::expected, so that `auto&& x = *f();` does not dangle.
  [[nodiscard]] T operator*() && { return std::move(value(*this)); }
  T* operator->() noexcept { return &value(*this); }
  const T* operator->() const noexcept { return &value(*this); }

  /// The value. Without one the program writes the error to the standard error and exits with 1:
  /// for examples, tools and other programs without error handling.
  T& value_or_exit() & noexcept { return exit_without_value(), value(*this); }
  const T& value_or_exit() const& noexcept { return exit_without_value(), value(*this); }
  T value_or_exit() && { return exit_without_value(), std::move(value(*this)); }

  /// The error. If there is a value, the program aborts.
  [[nodiscard]] const struct error& error() const& noexcept { return cause(*this); }
  [[nodiscard]] struct error error() && { return std::move(cause(*this)); }

 private:
  template <class Self>
  static auto& value(Self& self) noexcept {
    if (!self.has_value()) [[unlikely]]
      abort_without_value(self.error());
    return (self.value_);
  }
  template <class Self>
  static auto& cause(Self& self) noexcept {
    require(!self.has_value(), "a result with a value has no error");
    return (self.error_);
  }
  void exit_without_value() const noexcept {
    if (!has_value()) exit_with_error(error().message());
  }

  /// Copies or moves. (std::construct_at and std::destroy_at would be instantiated with each T.)
  template <class Other>
  void construct(Other&& other) {
    has_value_ = other.has_value_;
    if (has_value_) {
      ::new (static_cast<void*>(&value_)) T(std::forward<Other>(other).value_);
    } else {
      ::new (static_cast<void*>(&error_)) struct error(std::forward<Other>(other).error_);
    }
  }
  void destroy() noexcept {
    if (has_value_) {
      value_.~T();
    } else {
      error_.~error();
    }
  }

  // A union, since std::variant instantiates some seventy functions for each T.
  bool has_value_;
  union {
    T value_;
    struct error error_;
  };
};

/// The result of an operation that returns nothing but can fail.
struct done {};
using status = result<done>;

}  // namespace ctq
