// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace demo {

/// FNV-1a, 64 bits: do two programs compute the same bytes?
class checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte b : bytes)
      value_ = (value_ ^ static_cast<std::uint64_t>(b)) * 1099511628211;
  }
  [[nodiscard]] unsigned long long value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

}  // namespace demo
