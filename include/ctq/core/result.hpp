// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>
#include <variant>

// What can fail at run time returns a result<T>: the value, or an error that says where and why.
// The interface is that of std::expected; it needs neither exceptions nor RTTI.

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

template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;

  result(T value) : state_{std::in_place_index<0>, std::move(value)} {}         // NOLINT
  result(unexpected e) : state_{std::in_place_index<1>, std::move(e.value)} {}  // NOLINT

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // As std::expected: undefined without a value.
  [[nodiscard]] T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }

  [[nodiscard]] const struct error& error() const noexcept { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, struct error> state_;
};

/// A step that gives nothing back but can fail.
struct done {};
using status = result<done>;

}  // namespace ctq
