// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// What all libFuzzer targets share. Build with clang and -fsanitize=fuzzer,address,undefined.

namespace fuzzing {

/// Stops libFuzzer, which then keeps the input.
inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Says at the end how many bytes of input were executed.
inline void count(std::size_t size) {
  static std::size_t bytes = 0;
  static const int at_exit = std::atexit([] {
    std::fprintf(stderr, "%.1f million bytes executed\n", static_cast<double>(bytes) / 1e6);
  });
  static_cast<void>(at_exit);
  bytes += size;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace fuzzing
