// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <utility>

#include "commands.hpp"

namespace tool {

/// What was read of a file; or, after its error was printed, the exit code: unreadable, or findings
/// in its text.
template <class T>
class [[nodiscard]] opened {
 public:
  opened(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  opened(exit_code code) : code_(code) {}        // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return value_.has_value(); }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  [[nodiscard]] exit_code code() const { return code_; }

 private:
  std::optional<T> value_;
  exit_code code_ = fine;
};

}  // namespace tool
