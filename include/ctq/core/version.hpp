// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace ctq {

/// The release of these headers.
inline constexpr std::string_view version = "0.1.0";

}  // namespace ctq
