// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/local_response_norm.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

static_assert(shape_by(nn::local_response_norm, {2, 3, 4}, {.size = 2}) == shape{2, 3, 4});
static_assert(refuses(nn::local_response_norm, {2, 3}, {.size = 2}));
static_assert(refuses(fn::local_response_norm, {2, 3, 4}, {.size = 0}));

TEST_CASE("a channel is divided by the mean square of those around it") {
  const test_tensor x{{1, 3, 1}, {2, 4, 6}};
  // Of an even number there is one more before the channel than after it.
  check_values(values_of(fn::local_response_norm, {x}, {.size = 2, .alpha = 1, .beta = 1}),
               {2.0 / 3, 4.0 / 11, 6.0 / 27});
  check_values(values_of(nn::local_response_norm, {x}, {.size = 3, .alpha = 3, .beta = 1, .k = 4}),
               {2.0 / 24, 4.0 / 60, 6.0 / 56});
  check_values(values_of(nn::local_response_norm, {x}, {.size = 1, .alpha = 2, .beta = 0.5F}),
               {2.0 / 3, 0.69631062, 0.70224688});
}
