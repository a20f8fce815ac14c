// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "ctq/core/terminate.hpp"

// What can fail at run time returns a result<T>: the value, or an error that says where and why.
// The interface is that of std::expected, with two differences: reading what is not there aborts in
// every build, and what is read of a temporary is a value. It needs neither exceptions nor RTTI.

namespace ctq {

/// What went wrong with something that arrived at run time.
///   place  "weights.safetensors: tensor fc.weight", "node conv1, channel 7"
///   cause  "shape is [10, 64], the model wants [10, 128]"
struct error {
  std::string place;
  std::string cause;

  [[nodiscard]] std::string message() const { return place.empty() ? cause : place + ": " + cause; }
};

/// Marks an error on its way into a result: return unexpected{error{...}}.
struct unexpected {
  error value;
};

[[nodiscard]] inline unexpected fail(std::string place, std::string cause) {
  return {error{std::move(place), std::move(cause)}};
}

[[noreturn, gnu::cold, gnu::noinline]] inline void abort_without_value(const error& e) noexcept {
  abort_with_error("a result without a value was read: " + e.message());
}

template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result(T value) : state_{std::in_place_index<0>, std::move(value)} {}         // NOLINT
  result(unexpected e) : state_{std::in_place_index<1>, std::move(e.value)} {}  // NOLINT

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  /// The value. Without one the program aborts, saying the error.
  [[nodiscard]] T& operator*() & noexcept { return value(*this); }
  [[nodiscard]] const T& operator*() const& noexcept { return value(*this); }
  /// Not a reference, as of std::expected: `auto&& x = *f();` does not dangle.
  [[nodiscard]] T operator*() && { return std::move(value(*this)); }
  T* operator->() noexcept { return &value(*this); }
  const T* operator->() const noexcept { return &value(*this); }

  /// The value. Without one the program writes the error to the standard error and exits with 1:
  /// for examples, tools and other programs that have nothing better to do.
  T& value_or_exit() & noexcept { return exit_without_value(), value(*this); }
  const T& value_or_exit() const& noexcept { return exit_without_value(), value(*this); }
  T value_or_exit() && { return exit_without_value(), std::move(value(*this)); }

  /// Why there is no value. With one the program aborts.
  [[nodiscard]] const struct error& error() const& noexcept { return cause(*this); }
  [[nodiscard]] struct error error() && { return std::move(cause(*this)); }

 private:
  template <class Self>
  static auto& value(Self& self) noexcept {
    if (!self.has_value()) [[unlikely]]
      abort_without_value(self.error());
    return *std::get_if<0>(&self.state_);
  }
  template <class Self>
  static auto& cause(Self& self) noexcept {
    require(!self.has_value(), "a result with a value has no error");
    return *std::get_if<1>(&self.state_);
  }
  void exit_without_value() const noexcept {
    if (!has_value()) exit_with_error(error().message());
  }

  std::variant<T, struct error> state_;
};

/// A step that gives nothing back but can fail.
struct done {};
using status = result<done>;

}  // namespace ctq
