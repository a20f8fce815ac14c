// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/same_text.hpp"

// Paths of modules, as PyTorch writes them: "layer1.0.conv1".

namespace ctq {

/// "layer1.0" of "layer1.0.conv1"; empty at the top.
[[nodiscard]] constexpr std::string_view parent_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

/// Whether the path is that of the module or inside it; false if the module is empty.
[[nodiscard]] constexpr bool is_in(std::string_view path, std::string_view module) {
  return !module.empty() && path.size() >= module.size() &&
         same_text(path.substr(0, module.size()), module) &&
         (path.size() == module.size() || path[module.size()] == '.');
}

}  // namespace ctq
