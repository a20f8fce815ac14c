// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/list.hpp"

// A growable string for constant expressions and run time.

namespace ctq {

class text_buffer {
 public:
  constexpr void append(std::string_view s) {
    const char* const end = s.data() + s.size();
    for (const char* p = s.data(); p != end; ++p) chars_.push_back(*p);
  }

  [[nodiscard]] constexpr std::size_t size() const { return chars_.size(); }
  [[nodiscard]] constexpr std::string_view view() const { return {chars_.data(), chars_.size()}; }

 private:
  list<char> chars_;
};

}  // namespace ctq
