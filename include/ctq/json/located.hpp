// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/json/document.hpp"
#include "ctq/json/element.hpp"
#include "ctq/json/position.hpp"
#include "ctq/spec/validate.hpp"

// Findings with their position in a file: "npu.json:12:7: error: ...".

namespace ctq::json {

/// The value in the document for a place in a backend: the deepest one that exists.
[[nodiscard]] constexpr element locate(element root, const spec_place& place) {
  element at = root;
  const auto into = [&at](std::string_view key) {
    const element found = at.find(key);
    if (found) at = found;
    return static_cast<bool>(found);
  };
  const auto item = [&at](int i) {
    element e = at.first();
    for (; i > 0; --i) e = e.next();
    at = e;
  };
  if (place.config < 0 || !into("configs")) return at;
  item(place.config);
  if (place.dtype_config >= 0 && into("dtype_configs")) item(place.dtype_config);
  if (place.field.empty()) return at;
  if (!into(place.field) && same_text(place.field, "pattern")) into("pattern_complex_format");
  if (!place.part.empty()) into(place.part);
  return at;
}

/// The offset of a finding.
[[nodiscard]] constexpr std::size_t at_of(const finding& f) {
  return f.offset < 0 ? 0 : static_cast<std::size_t>(f.offset);
}

constexpr void add_syntax_error(findings& out, const syntax_error& e) {
  const rule r = same_text(e.rule, about(rule::json_depth).name)  ? rule::json_depth
                 : same_text(e.rule, about(rule::json_utf8).name) ? rule::json_utf8
                                                                  : rule::json_syntax;
  out.add(r, severity::error, {}, static_cast<int>(e.at), {word(e.what)});
}

/// Sets the offset of every finding with a place in the spec.
constexpr void locate_all(findings& found, element root) {
  for (finding& f : found)
    if (f.offset < 0) f.offset = static_cast<int>(locate(root, f.place).at());
}

/// The first relevant finding in text order, or nullptr.
[[nodiscard]] constexpr const finding* first_in_text(const findings& found, strictness s) {
  const finding* first = nullptr;
  for (const finding& f : found) {
    if (s == strictness::errors && f.severity == severity::warning) continue;
    if (first == nullptr || f.offset < first->offset) first = &f;
  }
  return first;
}

/// Appends "npu.json:12:7: error: ... [rule]".
template <class Text>
constexpr void append_located(Text& out, std::string_view file, std::string_view text,
                              const finding& f) {
  append_position(out, file, position_at(text.data(), text.size(), at_of(f)));
  out.append(": ");
  append_finding(out, f);
}

}  // namespace ctq::json
