// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "tensors.hpp"

// Errors of PyTorch and those of ctq. The data names the class of each error in X_error_reason;
// ctq's words differ, but must be about the same.

namespace golden {

/// Empty if ctq fails for PyTorch's reason; else what is wrong.
///   field    of the case: "error" or one that ends so
///   message  ctq's; empty if it does not fail
[[nodiscard]] std::string wrong_error(const json& c, const char* field, const std::string& message);

}  // namespace golden
