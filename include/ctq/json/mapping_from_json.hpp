// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>

#include "ctq/core/diagnostic.hpp"
#include "ctq/json/document.hpp"
#include "ctq/json/embedded_file.hpp"
#include "ctq/json/located.hpp"
#include "ctq/json/read_mapping.hpp"
#include "ctq/spec/validate_mapping.hpp"

// A QConfigMapping type from an embedded JSON file:
//
//   struct int8_everywhere : ctq::mapping_from_json<int8_json> {};
//   ctq::checked_mapping<int8_everywhere> checked;

namespace ctq {

namespace file_parts {

template <const embedded_file& File, class Ops>
consteval json::mapping_reader read_mapping(findings& found) {
  return {json::element{json::tape_v<File>.values.data(), File.text.data()}, Ops::value, found};
}

/// The findings of the file with their positions.
template <const embedded_file& File, class Ops>
consteval findings find_in_mapping() {
  findings found;
  if constexpr (json::tape_v<File>.error.any()) {
    json::add_syntax_error(found, json::tape_v<File>.error);
  } else {
    json::mapping_reader read = read_mapping<File, Ops>(found);
    read.link(read.entries, read.unescaped.view().data());
    if (found.first_error() == nullptr)
      validate(mapping_view{read.entries.data(), static_cast<int>(read.entries.size())}, found);
    for (finding& f : found)
      if (f.offset < 0)
        f.offset = json::locate_entry({json::tape_v<File>.values.data(), File.text.data()},
                                      read.at[f.place.config], f.place);
  }
  return found;
}

template <const embedded_file& File, class Ops>
consteval diagnostic first_mapping_problem() {
  diagnostic d;
  const findings found = find_in_mapping<File, Ops>();
  const finding* const first = json::first_in_text(found, strictness::errors);
  if (first != nullptr) json::append_located(d.text, File.name, File.text, *first);
  return d;
}

struct mapping_sizes {
  std::size_t entries{}, unescaped{};
};

template <const embedded_file& File, class Ops>
consteval mapping_sizes measure_mapping() {
  if constexpr (json::tape_v<File>.error.any()) {
    return {};
  } else {
    findings found;
    const json::mapping_reader read = read_mapping<File, Ops>(found);
    if (found.first_error() != nullptr) return {};
    return {read.entries.size(), read.unescaped.size()};
  }
}

template <const embedded_file& File, class Ops>
inline constexpr mapping_sizes mapping_sizes_v = measure_mapping<File, Ops>();

template <const embedded_file& File, class Ops>
consteval auto unescaped_constant() {
  std::array<char, mapping_sizes_v<File, Ops>.unescaped> text{};
  if constexpr (text.size() > 0) {
    findings none;
    const json::mapping_reader read = read_mapping<File, Ops>(none);
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = read.unescaped.view()[i];
  }
  return text;
}

template <const embedded_file& File, class Ops>
inline constexpr auto unescaped_v = unescaped_constant<File, Ops>();

template <const embedded_file& File, class Ops>
consteval auto entries_constant() {
  std::array<mapping_entry, mapping_sizes_v<File, Ops>.entries> entries{};
  if constexpr (entries.size() > 0) {
    findings none;
    const json::mapping_reader read = read_mapping<File, Ops>(none);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = read.entries[i];
    read.link(entries, unescaped_v<File, Ops>.data());
  }
  return entries;
}

template <const embedded_file& File, class Ops>
inline constexpr auto entries_v = entries_constant<File, Ops>();

}  // namespace file_parts

/// The mapping described by a file. Ops: ops that it can name besides those of ctq.
template <const embedded_file& File, class Ops = ops<builtin>>
struct mapping_from_json {
  static constexpr mapping_view records{file_parts::entries_v<File, Ops>.data(),
                                        static_cast<int>(file_parts::entries_v<File, Ops>.size())};
  static constexpr diagnostic problem = file_parts::first_mapping_problem<File, Ops>();
};

}  // namespace ctq
