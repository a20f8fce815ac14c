// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/observation_type.hpp"

#include <doctest/doctest.h>

using ctq::name_of;
using ctq::observation_type;

namespace {

// PyTorch's numbers.
static_assert(static_cast<int>(observation_type::output_use_different_observer_as_input) == 0);
static_assert(static_cast<int>(observation_type::output_share_observer_with_input) == 1);
static_assert(static_cast<int>(observation_type::input_output_not_observed) == 2);

TEST_CASE("observation types have PyTorch's names") {
  CHECK(name_of(observation_type::output_use_different_observer_as_input) ==
        "OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT");
  CHECK(name_of(observation_type::output_share_observer_with_input) ==
        "OUTPUT_SHARE_OBSERVER_WITH_INPUT");
  CHECK(name_of(observation_type::input_output_not_observed) == "INPUT_OUTPUT_NOT_OBSERVED");
}

}  // namespace
