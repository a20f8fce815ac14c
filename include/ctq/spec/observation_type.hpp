// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

// The source of the quantization parameters of a pattern's output.

namespace ctq {

/// PyTorch's ObservationType.
enum class observation_type : std::uint8_t {
  output_use_different_observer_as_input,
  output_share_observer_with_input,
  input_output_not_observed,
};

namespace names {
inline constexpr std::string_view of_observation_type[] = {"OUTPUT_USE_DIFFERENT_OBSERVER_AS_INPUT",
                                                           "OUTPUT_SHARE_OBSERVER_WITH_INPUT",
                                                           "INPUT_OUTPUT_NOT_OBSERVED"};
}

[[nodiscard]] constexpr std::string_view name_of(observation_type t) {
  return names::of_observation_type[static_cast<std::size_t>(t)];
}

}  // namespace ctq
