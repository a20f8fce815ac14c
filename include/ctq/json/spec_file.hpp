// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/text_buffer.hpp"
#include "ctq/json/document.hpp"
#include "ctq/json/located.hpp"
#include "ctq/spec/finding.hpp"

// Base of files read at run time: the text, its values, and the findings.

namespace ctq::json {

/// Larger texts are rejected.
inline constexpr std::size_t max_text = std::size_t{4} << 20U;

/// Owns everything that its views point to. Views stay valid after a move.
class spec_file {
 public:
  spec_file(spec_file&&) = default;
  spec_file& operator=(spec_file&&) = default;
  spec_file(const spec_file&) = delete;
  spec_file& operator=(const spec_file&) = delete;

  /// All findings, with their positions in the text.
  [[nodiscard]] const findings& found() const { return found_; }
  [[nodiscard]] bool valid() const { return found_.first_error() == nullptr; }
  [[nodiscard]] std::string_view text() const { return {text_.data(), size_}; }

 protected:
  explicit spec_file(std::string_view text)
      : text_(text.data(), text.size() <= max_text ? text.size() : 0), size_(text_.size()) {
    if (text.size() > max_text) {
      found_.add(rule::too_many, severity::error, {}, 0, {word("more than 4 MiB of text")});
      return;
    }
    document_ = parse(text_.data(), size_);
    if (document_.error.any()) {
      add_syntax_error(found_, document_.error);
      return;
    }
    text_buffer names;
    append_names(document_, text_.data(), names);
    text_.reserve(size_ + names.size());
    for (const char c : names.view()) text_.push_back(c);
  }
  ~spec_file() = default;

  /// Requires  valid()
  [[nodiscard]] element root() const { return {document_.values.data(), text_.data()}; }

  findings found_;

 private:
  list<char> text_;  // the text, then the values of strings with escapes
  std::size_t size_;
  document document_;
};

}  // namespace ctq::json
