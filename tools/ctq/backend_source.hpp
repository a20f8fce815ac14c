// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ctq/json/backend_file.hpp"
#include "opened.hpp"

namespace tool {

/// A backend of the command line: built in, or from a file, which it owns.
class backend_source {
 public:
  /// Prints an error if there is none. A file with errors is rejected, and its findings are
  /// printed.
  ///   shown  its names are printed on a terminal, so escapes are made visible
  static opened<backend_source> open(const std::string& name_or_file, bool shown = false);

  [[nodiscard]] ctq::backend_view view() const { return file_ ? file_->view() : builtin_; }
  /// The text of the file; nothing for a built-in backend.
  [[nodiscard]] std::optional<std::string_view> text() const {
    return file_ ? std::optional{file_->text()} : std::nullopt;
  }

 private:
  backend_source() = default;

  ctq::backend_view builtin_{};
  std::optional<ctq::json::backend_file> file_;
};

}  // namespace tool
