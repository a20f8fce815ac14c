// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/report.hpp"
#include "ctq/json/custom_config/read.hpp"
#include "ctq/json/embedded_file.hpp"
#include "ctq/json/spec_from_json.hpp"

// Custom configs of prepare, convert and fuse from embedded JSON files:
//
//   using blocks = ctq::prepare_custom_config_from_json<blocks_json, ctq::ops<ctq::builtin>, x86>;
//   ctq::checked_custom_config<blocks> checked;  // a mistake is an error with its position
//   constexpr const ctq::prepare_custom_config& config = blocks::value;

namespace ctq {

namespace file_parts {

/// The backends that standalone modules can name.
template <class... Backend>
inline constexpr std::array<backend_view, sizeof...(Backend)> backends_v{backend_v<Backend>...};

template <class... Backend>
constexpr view<backend_view> view_of_backends() {
  return {backends_v<Backend...>.data(), static_cast<int>(sizeof...(Backend))};
}

template <const embedded_file& File, custom_config_kind Kind, class Ops, class... Backend>
consteval findings find_in_custom_config() {
  findings found;
  if constexpr (!is_json<File>) {
    add_syntax_error(found, tape_v<File>.error);
  } else {
    static_cast<void>(op_declarations{root<File>(), Ops::value, found});
    static_cast<void>(custom_config_reader{root<File>(), Kind, table_v<File, Ops>,
                                           view_of_backends<Backend...>(), found});
  }
  return found;
}

template <const embedded_file& File, custom_config_kind Kind, class Ops, class... Backend>
consteval diagnostic first_custom_config_problem() {
  diagnostic d;
  const findings found = find_in_custom_config<File, Kind, Ops, Backend...>();
  const finding* const first = first_in_text(found, strictness::errors);
  if (first != nullptr) append_located(d.text, File.name, File.text, *first);
  return d;
}

struct custom_config_sizes {
  std::size_t standalone{}, custom_modules{}, names{}, classes{}, indexes{}, mappings{}, entries{};
};

template <const embedded_file& File, custom_config_kind Kind, class Ops, class... Backend>
constexpr custom_config_draft read_custom_config() {
  if constexpr (is_json<File>) {
    findings found;
    const custom_config_reader read{root<File>(), Kind, table_v<File, Ops>,
                                    view_of_backends<Backend...>(), found};
    if (found.first_error() == nullptr) return read.draft;
  }
  return {};
}

template <const embedded_file& File, custom_config_kind Kind, class Ops, class... Backend>
consteval custom_config_sizes measure_custom_config() {
  const custom_config_draft d = read_custom_config<File, Kind, Ops, Backend...>();
  return {d.standalone.size(), d.custom_modules.size(), d.names.size(),  d.classes.size(),
          d.indexes.size(),    d.mappings.size(),       d.entries.size()};
}

/// The records, which point to each other: a constant with static storage duration.
template <std::size_t Standalone, std::size_t CustomModules, std::size_t Names, std::size_t Classes,
          std::size_t Indexes, std::size_t Mappings, std::size_t Entries>
struct frozen_custom_config {
  std::array<standalone_module, Standalone> standalone{};
  std::array<custom_module, CustomModules> custom_modules{};
  std::array<std::string_view, Names> names{};
  std::array<op_id, Classes> classes{};
  std::array<int, Indexes> indexes{};
  std::array<mapping_view, Mappings> mappings{};
  std::array<mapping_entry, Entries> entries{};
  prepare_custom_config root{};

  constexpr frozen_custom_config(const custom_config_draft& d, const view<backend_view>& backends) {
    copy_into(custom_modules, d.custom_modules);
    copy_into(names, d.names);
    copy_into(classes, d.classes);
    copy_into(indexes, d.indexes);
    copy_into(entries, d.entries);
    link(d, backends, *this);
    root = linked(d.root, *this);
  }
};

template <const embedded_file& File, custom_config_kind Kind, class Ops, class... Backend>
inline constexpr custom_config_sizes custom_config_sizes_v =
    measure_custom_config<File, Kind, Ops, Backend...>();

template <const custom_config_sizes& N>
using frozen_for = frozen_custom_config<N.standalone, N.custom_modules, N.names, N.classes,
                                        N.indexes, N.mappings, N.entries>;

template <const embedded_file& File, custom_config_kind Kind, class Ops, class... Backend>
inline constexpr frozen_for<custom_config_sizes_v<File, Kind, Ops, Backend...>> custom_config_v{
    read_custom_config<File, Kind, Ops, Backend...>(), view_of_backends<Backend...>()};

}  // namespace file_parts

/// The config described by a file.
///   Ops      ops that it can name besides those that it declares
///   Backend  the backends that standalone modules can name
template <const embedded_file& File, class Ops = ops<builtin>, class... Backend>
struct prepare_custom_config_from_json {
  static constexpr const prepare_custom_config& value =
      file_parts::custom_config_v<File, json::custom_config_kind::prepare, Ops, Backend...>.root;
  static constexpr diagnostic problem =
      file_parts::first_custom_config_problem<File, json::custom_config_kind::prepare, Ops,
                                              Backend...>();
};

template <const embedded_file& File, class Ops = ops<builtin>>
struct convert_custom_config_from_json {
 private:
  static constexpr const prepare_custom_config& parts =
      file_parts::custom_config_v<File, json::custom_config_kind::convert, Ops>.root;

 public:
  static constexpr convert_custom_config value{parts.custom_modules, parts.preserved_attributes};
  static constexpr diagnostic problem =
      file_parts::first_custom_config_problem<File, json::custom_config_kind::convert, Ops>();
};

template <const embedded_file& File>
struct fuse_custom_config_from_json {
 private:
  static constexpr const prepare_custom_config& parts =
      file_parts::custom_config_v<File, json::custom_config_kind::fuse, ops<builtin>>.root;

 public:
  static constexpr fuse_custom_config value{parts.preserved_attributes};
  static constexpr diagnostic problem =
      file_parts::first_custom_config_problem<File, json::custom_config_kind::fuse, ops<builtin>>();
};

template <class FromJson>
struct custom_config_check {
  static constexpr bool bad() { return FromJson::problem.any(); }
  static constexpr auto message() { return FromJson::problem.text; }
};

/// Derive from it to check a config that is read from a file.
template <class FromJson>
struct checked_custom_config : report<custom_config_check<FromJson>> {};

}  // namespace ctq
