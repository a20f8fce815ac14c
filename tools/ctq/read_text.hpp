// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

namespace tool {

/// The contents of a file, or of standard input for "-". Nothing, and a message on standard error,
/// if it is missing, cannot be read, is not a file, or exceeds the maximum length of a spec; at
/// most that length is read.
[[nodiscard]] std::optional<std::string> read_text(const std::string& path);

}  // namespace tool
