// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "ctq/graph/node.hpp"

// Not in node.hpp, since most headers that read nodes need no std::string.

namespace ctq {

/// What errors call a node: "node conv1".
template <int = 0>
[[nodiscard, gnu::cold]] std::string place_of(const node& n) {
  std::string place = "node ";
  append_name(place, n);
  return place;
}

}  // namespace ctq
