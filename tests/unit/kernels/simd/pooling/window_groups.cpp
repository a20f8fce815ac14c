// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/pooling/window_groups.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace ctq::kernels;
using namespace ctq::kernels::simd;

// Four registers of one window; one register of each of four windows.
static_assert(best_log2(4, 1) == 2 && best_log2(9, 1) == 2);
static_assert(best_log2(1, 7) == 0 && best_log2(3, 8) == 0);
// Two registers of each of two windows: two groups of 2 x 4, three of 6 x 2.
static_assert(best_log2(2, 4) == 1 && best_log2(6, 2) == 1);

TEST_CASE("groups cover all channels of all windows, and read where the windows are") {
  constexpr int lanes = 8, step = 100, margin = 1000;
  for (const int channels : {8, 9, 16, 23, 24, 40, 64}) {
    for (int count = 1; count <= 9; ++count) {
      CAPTURE(channels);
      CAPTURE(count);
      const pool_window w{.in = 7, .out = margin};
      std::vector<int> written(static_cast<std::size_t>(2 * margin + count * channels));
      int groups = 0;
      for_each_group<lanes>(w, count, channels, step, [&](const window_group& g) {
        ++groups;
        for (int k = 0; k < registers_of_a_group; ++k) {
          const std::ptrdiff_t out = g.out[k] - w.out;
          CHECK(g.in[k] == w.in + out / channels * step + out % channels);
          CHECK(out % channels + lanes <= channels);
          for (int i = 0; i < lanes; ++i) ++written[static_cast<std::size_t>(g.out[k] + i)];
        }
      });
      for (int i = 0; i < 2 * margin + count * channels; ++i)
        CHECK((written[static_cast<std::size_t>(i)] > 0) ==
              (i >= margin && i < margin + count * channels));
      const int registers = (channels + lanes - 1) / lanes;
      CHECK(groups <= count * ((registers + 3) / 4));
      CHECK(groups <= registers * ((count + 3) / 4));
    }
  }
}
