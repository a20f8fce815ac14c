// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

// What may be written where: colours only on a terminal, nothing that would confuse one.

namespace tool {

/// Is standard output a terminal whose user has not said NO_COLOR?
[[nodiscard]] bool wants_colour();

/// The text with ? for what is not UTF-8 and for control characters. What messages quote comes from
/// files that may be hostile.
[[nodiscard]] std::string visible(std::string_view text);

}  // namespace tool
