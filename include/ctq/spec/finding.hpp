// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/text.hpp"
#include "ctq/spec/rule.hpp"

// Results of a check: rule, place and message.

namespace ctq {

/// A place in a spec, as far as known: configs[config].dtype_configs[dtype_config].field.part. In a
/// QConfigMapping `config` is the index of the entry over all levels.
struct spec_place {
  int config = -1;
  int dtype_config = -1;
  std::string_view field{};
  std::string_view part{};
};

/// One result of a check.
struct finding {
  ctq::rule rule{};
  ctq::severity severity{};
  spec_place place{};
  int offset = -1;  // in the text of a file; -1: unknown
  static_text<240> text{};
};

/// A part of a message: text or a number. One type, so that the compiler need not instantiate a
/// function for every combination.
class word {
 public:
  constexpr explicit word(std::string_view text) : text_(text) {}
  constexpr explicit word(const char* text) : text_(text) {}
  constexpr explicit word(std::integral auto number)
      : number_(static_cast<std::int64_t>(number)), is_number_(true) {}

  template <class Text>
  constexpr void append_to(Text& out) const {
    if (is_number_) return append_number(out, number_);
    out.append(text_);
  }

 private:
  std::string_view text_{};
  std::int64_t number_{};
  bool is_number_ = false;
};

/// Checks stop after this number of findings.
inline constexpr int max_findings = 100;

/// The results of a check, limited in number.
class findings {
 public:
  /// Adds a finding, unless there are too many of its severity already.
  constexpr void add(rule r, severity s, const spec_place& place, int offset,
                     std::initializer_list<word> words) {
    ++total_;
    if (s == severity::error ? full() : size() >= max_findings) return;
    errors_ += s == severity::error ? 1 : 0;
    finding& f = found_.emplace_back();
    f.rule = r;
    f.severity = s;
    f.place = place;
    f.offset = offset;
    for (const word& w : words) w.append_to(f.text);
  }

  template <class... Part>
  constexpr void error(rule r, const spec_place& place, Part... part) {
    add(r, severity::error, place, -1, {word(part)...});
  }
  template <class... Part>
  constexpr void warning(rule r, const spec_place& place, Part... part) {
    add(r, severity::warning, place, -1, {word(part)...});
  }

  /// The number of findings, including omitted ones.
  [[nodiscard]] constexpr int total() const { return total_; }

  /// Whether the maximum number of errors is reached; warnings do not count.
  [[nodiscard]] constexpr bool full() const { return errors_ >= max_findings; }
  [[nodiscard]] constexpr int size() const { return static_cast<int>(found_.size()); }
  [[nodiscard]] constexpr const finding* begin() const { return found_.begin(); }
  [[nodiscard]] constexpr const finding* end() const { return found_.end(); }
  [[nodiscard]] constexpr finding* begin() { return found_.begin(); }
  [[nodiscard]] constexpr finding* end() { return found_.end(); }
  [[nodiscard]] constexpr const finding& operator[](int i) const { return found_[i]; }

  [[nodiscard]] constexpr int count(severity s) const {
    int n = 0;
    for (const finding& f : found_) n += f.severity == s ? 1 : 0;
    return n;
  }

  /// The first error, or nullptr.
  [[nodiscard]] constexpr const finding* first_error() const {
    for (const finding& f : found_)
      if (f.severity == severity::error) return &f;
    return nullptr;
  }

 private:
  list<finding> found_;
  int total_ = 0;
  int errors_ = 0;
};

/// Appends "error: input_dtype.scale_min_lower_bound: 0 is not a scale [scale-not-positive]".
template <class Text>
constexpr void append_finding(Text& out, const finding& f) {
  append_all(out, name_of(f.severity), ": ");
  if (!f.place.field.empty()) out.append(f.place.field);
  if (!f.place.part.empty()) append_all(out, ".", f.place.part);
  if (!f.place.field.empty()) out.append(": ");
  append_all(out, f.text.view(), " [", about(f.rule).name, "]");
}

}  // namespace ctq
