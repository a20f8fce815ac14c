// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>

#include "ctq/core/diagnostic.hpp"
#include "ctq/json/constant_document.hpp"
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

/// The findings of the file with their positions.
template <const embedded_file& File, class Ops>
consteval findings find_in_mapping() {
  findings found;
  if constexpr (json::tape_v<File>.error.any()) {
    json::add_syntax_error(found, json::tape_v<File>.error);
  } else {
    const json::mapping_reader read{json::root_of<File>(), Ops::value, found};
    if (found.first_error() == nullptr)
      validate(mapping_view{read.entries.data(), static_cast<int>(read.entries.size())}, found);
    for (finding& f : found)
      if (f.offset < 0)
        f.offset = json::locate_entry(json::root_of<File>(), read.at[f.place.config], f.place);
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

/// How many entries there are; 0 if there is an error.
template <const embedded_file& File, class Ops>
consteval std::size_t count_entries() {
  if constexpr (json::tape_v<File>.error.any()) {
    return 0;
  } else {
    findings found;
    const json::mapping_reader read{json::root_of<File>(), Ops::value, found};
    return found.first_error() != nullptr ? 0 : read.entries.size();
  }
}

template <const embedded_file& File, class Ops>
consteval auto entries_constant() {
  constexpr std::size_t count = count_entries<File, Ops>();
  std::array<mapping_entry, count> entries{};
  if constexpr (count > 0) {
    findings none;
    const json::mapping_reader read{json::root_of<File>(), Ops::value, none};
    for (std::size_t i = 0; i < count; ++i) entries[i] = read.entries[i];
  }
  return entries;
}

template <const embedded_file& File, class Ops>
inline constexpr auto entries_v = entries_constant<File, Ops>();

}  // namespace file_parts

/// The mapping described by a file.
///   Ops  ops that it can name besides those of ctq
template <const embedded_file& File, class Ops = ops<builtin>>
struct mapping_from_json {
  static constexpr mapping_view records{file_parts::entries_v<File, Ops>.data(),
                                        static_cast<int>(file_parts::entries_v<File, Ops>.size())};
  static constexpr diagnostic problem = file_parts::first_mapping_problem<File, Ops>();
};

}  // namespace ctq
