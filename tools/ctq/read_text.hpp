// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "ctq/core/result.hpp"

namespace tool {

/// What is in a file, or in standard input for "-". An error for what is missing, may not be read,
/// is no file, or is longer than a spec can be; no more than that length is ever read.
[[nodiscard]] ctq::result<std::string> read_text(const std::string& path);

}  // namespace tool
