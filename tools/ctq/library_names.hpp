// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tool {

/// Why a library cannot have this name; empty if it can.
[[nodiscard]] std::string library_name_problem(std::string_view name);

}  // namespace tool
