// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ctq/json/mapping_file.hpp"
#include "opened.hpp"

namespace tool {

/// A QConfigMapping of the command line: from a file, which it owns, or the default one of a
/// backend.
class mapping_source {
 public:
  /// Prints an error if there is none. A file with errors is rejected, and its findings are
  /// printed.
  ///   file     empty: the default mapping of `backend`
  ///   ops      that the mapping can name
  ///   backend  its name
  ///   shown    the mapping's names are printed on a terminal, so escapes are made visible
  static opened<mapping_source> open(const std::string& file, const ctq::op_table& ops,
                                     std::string_view backend, bool shown = false);

  [[nodiscard]] ctq::mapping_view view() const;
  /// The text of the file; nothing for a default mapping.
  [[nodiscard]] std::optional<std::string_view> text() const {
    return file_ ? std::optional{file_->text()} : std::nullopt;
  }

 private:
  mapping_source() = default;

  ctq::list<ctq::mapping_entry> default_;
  std::optional<ctq::json::mapping_file> file_;
};

}  // namespace tool
