// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace tool {

/// What is in a file, or in standard input for "-". Nothing, and a line on standard error, for what
/// is missing, may not be read, is no file, or is longer than a spec can be; no more than that
/// length is ever read.
[[nodiscard]] std::optional<std::string> read_text(const std::string& path);

}  // namespace tool
