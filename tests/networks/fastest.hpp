// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace networks {

/// Milliseconds of the fastest of the calls that fit into 0.2 s, and of at least five.
template <class F>
double fastest(F f) {
  using milliseconds = std::chrono::duration<double, std::milli>;
  double best = HUGE_VAL, all = 0;
  for (int i = 0; i < 5 || all < 200; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    const double took = milliseconds(std::chrono::steady_clock::now() - begin).count();
    best = std::min(best, took);
    all += took;
  }
  return best;
}

}  // namespace networks
