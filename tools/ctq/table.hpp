// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "ctq/spec/backend_config.hpp"

// A backend as a table. Dtype configs have short names by their content, explained above the rows:
// W8 for weighted ops on 8 bits, and so on; ops have the short names of PyTorch's sources.

namespace tool {

/// One line per pattern, in the order of the backend, in columns.
void append_table(std::string& out, const ctq::backend_view& backend);

/// The same in Markdown, compact: patterns with the same row are grouped, rows that differ only in
/// 1d, 2d and 3d are one.
void append_markdown(std::string& out, const ctq::backend_view& backend);

}  // namespace tool
