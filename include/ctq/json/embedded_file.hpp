// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

// A file embedded in the program: its name, for messages, and its text. ctq_embed makes one from a
// file when a program is built with Meson; written by hand it is
//
//   inline constexpr ctq::embedded_file npu_json{"npu.json", R"({"name": "npu", ...})"};

namespace ctq {

/// The name and the text of a file.
struct embedded_file {
  std::string_view name{};
  std::string_view text{};
};

}  // namespace ctq
