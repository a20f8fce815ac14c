// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/for_blocks.hpp"

#include <doctest/doctest.h>

#include <array>
#include <numeric>
#include <vector>

using namespace ctq::kernels::simd;

TEST_CASE("blocks change each element once, in place, whatever the count") {
  for (int count = 0; count <= 20; ++count) {
    std::vector<int> x(static_cast<std::size_t>(count));
    std::iota(x.begin(), x.end(), 0);
    int single = 0;
    for_blocks<4>(
        count,
        [&](int i) {
          std::array<int, 4> block{};
          for (int j = 0; j < 4; ++j)
            block[static_cast<std::size_t>(j)] = 10 * x.at(static_cast<std::size_t>(i + j));
          return block;
        },
        [&](int i, const std::array<int, 4>& block) {
          for (int j = 0; j < 4; ++j)
            x.at(static_cast<std::size_t>(i + j)) = block[static_cast<std::size_t>(j)];
        },
        [&](int i) {
          x.at(static_cast<std::size_t>(i)) *= 10;
          ++single;
        });
    std::vector<int> wanted(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) wanted[i] = 10 * static_cast<int>(i);
    CHECK(x == wanted);
    CHECK(single == (count < 4 ? count : 0));
  }
}
