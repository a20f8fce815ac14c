// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "ctq/spec/backend_config.hpp"

namespace tool {

/// The built-in backends by name: PyTorch's.
[[nodiscard]] std::span<const ctq::backend_view> builtin_backends();

}  // namespace tool
