// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <type_traits>

#include "ctq/core/containers/span.hpp"
#include "ctq/core/shapes/sequence_shapes.hpp"
#include "ctq/observers/observer.hpp"

namespace ctq {

/// Passes the values in the cells of an LSTM to their observers, step by step, as PyTorch's cells
/// do.
///   value  what the kernel lstm_observed has written
///   all    the observers of the first cell and those after them
template <int Deferred = 0>
[[gnu::cold]] void observe_cells(
    const recurrent_shape& s, const float* value,
    std::type_identity_t<span<observers::basic_any_observer<Deferred>>> all) {
  const float* step = value + s.sequence_elements() + s.state_elements();
  const int state = s.batch * s.hidden;
  for (int cell = 0; cell < s.cells(); ++cell) {
    for (int i = 0; i < s.steps; ++i) {
      for (int v = 0; v < lstm_cell_values; ++v) {
        const observed_part& part = observed_in_cell[v];
        const auto elements =
            static_cast<std::size_t>(part.count) * static_cast<std::size_t>(state);
        const auto which = static_cast<std::size_t>(lstm_cell_values * cell + v);
        all[which].observe({step + std::ptrdiff_t{part.first} * state, elements},
                           {s.batch, part.count * s.hidden});
      }
      step += s.observed_elements();
    }
  }
}

}  // namespace ctq
