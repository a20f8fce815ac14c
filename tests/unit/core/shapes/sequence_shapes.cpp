// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/shapes/sequence_shapes.hpp"

using namespace ctq;

namespace {

constexpr recurrent_shape lstm{.cell = recurrent_cell::lstm,
                               .steps = 5,
                               .batch = 3,
                               .input = 4,
                               .hidden = 2,
                               .layers = 2,
                               .directions = 2};
constexpr recurrent_shape batch_first = [] {
  recurrent_shape s = lstm;
  s.batch_first = 1;
  return s;
}();

static_assert(lstm.gates() == 4 && lstm.cells() == 4);
static_assert(lstm.inputs_of(0) == 4 && lstm.inputs_of(1) == 2 * 2);
static_assert(lstm.sequence_elements() == 5 * 3 * 2 * 2);
static_assert(lstm.state_elements() == 2 * 4 * 3 * 2);

// Sequences are [steps, batch, …] or [batch, steps, …].
static_assert(lstm.rows_to_next_in_batch() == 1 && lstm.rows_to_next_step() == 3);
static_assert(batch_first.rows_to_next_in_batch() == 5 && batch_first.rows_to_next_step() == 1);

// Every second cell goes backwards.
static_assert(lstm.step_of(0, 1) == 1 && lstm.step_of(2, 1) == 1);
static_assert(lstm.step_of(1, 1) == 3 && lstm.step_of(3, 0) == 4);

// Four gates of three kinds, and four values; one after the other.
static_assert(lstm.observed_elements() == (3 * 4 + 4) * 3 * 2);
static_assert(lstm.all_observed_elements() == 4 * 5 * lstm.observed_elements());
static_assert([] {
  int next = 0;
  for (const observed_part& part : observed_in_cell) {
    if (part.first != next) return false;
    next += part.count;
  }
  return true;
}());

}  // namespace
