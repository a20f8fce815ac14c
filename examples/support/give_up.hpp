// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <ctq/core/result.hpp>

namespace demo {

/// Says what is wrong, and gives the exit code of a program that stops there.
[[nodiscard]] inline int give_up(const ctq::error& e) {
  std::fprintf(stderr, "error: %s\n", e.message().c_str());
  return 1;
}

}  // namespace demo
