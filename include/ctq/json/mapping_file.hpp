// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/json/read_mapping.hpp"
#include "ctq/json/spec_file.hpp"
#include "ctq/spec/validate_mapping.hpp"

// A QConfigMapping read from JSON at run time, with its findings.

namespace ctq::json {

/// Owns the text, and the mapping that it describes.
class mapping_file : public spec_file {
 public:
  /// Reads and validates. Never fails: errors are in found().
  explicit mapping_file(std::string_view text, const op_table& ops = ctq::ops<builtin>::value)
      : spec_file(text) {
    if (!valid()) return;
    const mapping_reader read{root(), ops, found_};
    entries_ = read.entries;
    if (valid()) validate(view(), found_);
    for (finding& f : found_)
      if (f.offset < 0) f.offset = locate_entry(root(), read.at[f.place.config], f.place);
  }

  /// The mapping; incomplete unless valid().
  [[nodiscard]] mapping_view view() const& {
    return {entries_.data(), static_cast<int>(entries_.size())};
  }

  mapping_view view() const&& = delete;  // what it points to lies in this object

 private:
  list<mapping_entry> entries_;
};

}  // namespace ctq::json
