// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "ctq/core/result.hpp"
#include "ctq/json/located.hpp"
#include "ctq/json/op_declarations.hpp"
#include "ctq/json/read_backend.hpp"
#include "ctq/json/spec_file.hpp"
#include "ctq/spec/validate.hpp"

// A backend read from JSON at run time, with its findings.

namespace ctq::json {

/// Owns the text, and the backend that it describes.
class backend_file : public spec_file {
 public:
  /// Reads and validates. Never fails: errors are in found().
  ///   ops  ops that patterns can name besides those that the file declares; must outlive this
  ///        object
  explicit backend_file(std::string_view text, const op_table& ops = ctq::ops<builtin>::value)
      : spec_file(text) {
    if (!valid()) return;
    declared_ = op_declarations{root(), ops, found_}.declared;
    for (const op_id op : ops.own) own_.push_back(op);
    for (const op_info& op : declared_) own_.push_back(&op);
    const op_table all{{own_.data(), static_cast<int>(own_.size())}, ops.builtin};
    draft_ = backend_reader{root(), all, found_}.draft;
    for (const config_draft& c : draft_.configs) configs_.push_back(linked(c, draft_));
    if (valid()) validate(view(), found_);
    locate_all(found_, root());
  }

  /// The backend; incomplete unless valid().
  [[nodiscard]] backend_view view() const& {
    return {draft_.name, {configs_.data(), static_cast<int>(configs_.size())}};
  }

  backend_view view() const&& = delete;  // what it points to lies in this object

 private:
  list<op_info> declared_;
  list<op_id> own_;
  backend_draft draft_;
  list<backend_pattern_config_record> configs_;
};

/// The backend described by a text, or its first error with its position.
[[nodiscard]] inline result<backend_file> from_json(
    std::string_view text, std::string_view file = "json",
    const op_table& ops = ctq::ops<builtin>::value) {
  backend_file read{text, ops};
  const finding* const f = first_in_text(read.found(), strictness::errors);
  if (f == nullptr) return read;
  std::string place;
  append_position(place, file, position_at(text.data(), text.size(), at_of(*f)));
  std::string cause;
  append_finding(cause, *f);
  return fail(place, cause);
}

}  // namespace ctq::json
