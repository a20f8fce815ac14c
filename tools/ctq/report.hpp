// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ctq/spec/finding.hpp"

namespace tool {

/// The findings in the order of the text.
[[nodiscard]] std::vector<const ctq::finding*> in_order_of_place(const ctq::findings& found,
                                                                 bool errors_only);

/// "npu.json:12:7: error: ... [rule]"; with colour, the severity is highlighted.
[[nodiscard]] std::string located(std::string_view file, std::string_view text,
                                  const ctq::finding& f, bool colour = false);

}  // namespace tool
