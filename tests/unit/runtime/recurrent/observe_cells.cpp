// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/recurrent/observe_cells.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <vector>

using namespace ctq;

TEST_CASE("each observer sees its values of a cell, step by step") {
  const recurrent_shape s{.cell = recurrent_cell::lstm,
                          .steps = 2,
                          .batch = 1,
                          .input = 3,
                          .hidden = 2,
                          .directions = 2};
  const auto before = static_cast<std::size_t>(s.sequence_elements() + s.state_elements());
  std::vector<float> value(before + s.all_observed_elements(), 1e6F);
  REQUIRE(s.all_observed_elements() == 2 * 2 * 16 * 2);
  for (std::size_t i = before; i < value.size(); ++i) value[i] = static_cast<float>(i - before);

  // Half of the way from the range of the first step to that of the second one.
  constexpr observer_record record =
      moving_average_min_max_observer<{.averaging_constant = 0.5F}>::value;
  std::vector<observers::any_observer> all;
  for (int k = 0; k < 2 * lstm_cell_values; ++k) all.emplace_back(record);
  observe_cells(s, value.data(), all);
  constexpr float first[] = {0, 8, 16, 24, 26, 28, 30}, last[] = {7, 15, 23, 25, 27, 29, 31};
  for (int cell = 0; cell < 2; ++cell)
    for (int v = 0; v < lstm_cell_values; ++v) {
      CAPTURE(cell);
      CAPTURE(v);
      const auto& o = all[static_cast<std::size_t>(lstm_cell_values * cell + v)];
      observers::any_observer wanted{record};
      for (int step = 0; step < 2; ++step) {
        const float at = static_cast<float>(64 * cell + 32 * step);
        const float seen[] = {at + first[v], at + last[v]};
        wanted.observe(seen);
      }
      CHECK(o.calculate_qparams()->scale == wanted.calculate_qparams()->scale);
    }
}
