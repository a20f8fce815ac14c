// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/json/constant_document.hpp"
#include "ctq/json/embedded_file.hpp"
#include "ctq/json/located.hpp"
#include "ctq/json/op_declarations.hpp"
#include "ctq/json/read_backend.hpp"
#include "ctq/spec/validate.hpp"

// A backend type from an embedded JSON file:
//
//   struct npu : ctq::spec_from_json<npu_json> {};
//   ctq::checked_backend<npu> checked;   // a mistake is an error: npu.json:12:7: error: ...
//
// It can be used wherever a backend type can. Each stage is a separate constant, with its own limit
// of constexpr steps, keyed by the file's address: tape -> declared ops -> draft -> records ->
// findings.

namespace ctq {

namespace file_parts {

using namespace json;

template <const embedded_file& File>
consteval auto root() {
  return root_of<File>();
}

template <const embedded_file& File>
inline constexpr bool is_json = !tape_v<File>.error.any();

// --- Declared ops -------------------------------------------------------------------------------

template <const embedded_file& File, class Ops>
consteval list<op_info> read_declared() {
  findings ignored;  // they are reported by a later stage
  return op_declarations{root<File>(), Ops::value, ignored}.declared;
}

template <const embedded_file& File, class Ops>
consteval auto declare() {
  constexpr std::size_t count = is_json<File> ? read_declared<File, Ops>().size() : 0;
  std::array<op_info, count> ops{};
  if constexpr (count > 0) {
    const list<op_info> read = read_declared<File, Ops>();
    for (std::size_t i = 0; i < count; ++i) ops[i] = read[i];
  }
  return ops;
}

/// Their addresses are the identities.
template <const embedded_file& File, class Ops>
inline constexpr auto declared_v = declare<File, Ops>();

template <const embedded_file& File, class Ops>
consteval auto user_ops() {
  constexpr auto& declared = declared_v<File, Ops>;
  std::array<op_id, static_cast<std::size_t>(Ops::count) + declared.size() + 1> own{};
  for (std::size_t i = 0; i < Ops::count; ++i) own[i] = Ops::own[i];
  for (std::size_t i = 0; i < declared.size(); ++i)
    own[static_cast<std::size_t>(Ops::count) + i] = &declared[i];
  return own;
}

template <const embedded_file& File, class Ops>
inline constexpr auto user_ops_v = user_ops<File, Ops>();

template <const embedded_file& File, class Ops>
inline constexpr op_table table_v{
    {user_ops_v<File, Ops>.data(), static_cast<int>(user_ops_v<File, Ops>.size()) - 1},
    Ops::value.builtin};

// --- Draft: read twice, first for the sizes, then into arrays of these sizes ---------------------

struct sizes {
  std::size_t elements{}, dtype_configs{}, paths{}, observers{}, configs{};
  bool valid = false;
};

template <const embedded_file& File, class Ops>
consteval sizes measure() {
  if constexpr (is_json<File>) {
    findings found;
    static_cast<void>(op_declarations{root<File>(), Ops::value, found});
    const backend_reader read{root<File>(), table_v<File, Ops>, found};
    if (found.first_error() != nullptr) return {};
    const backend_draft& d = read.draft;
    return {d.elements.size(),  d.dtype_configs.size(), d.paths.size(),
            d.observers.size(), d.configs.size(),       true};
  } else {
    return {};
  }
}

template <const embedded_file& File, class Ops>
inline constexpr sizes sizes_v = measure<File, Ops>();

template <std::size_t Elements, std::size_t DtypeConfigs, std::size_t Paths, std::size_t Observers,
          std::size_t Configs>
struct frozen_draft {
  std::string_view name{};
  std::array<pattern_element, Elements> elements{};
  std::array<dtype_config_record, DtypeConfigs> dtype_configs{};
  std::array<node_path, Paths> paths{};
  std::array<observer_record, Observers> observers{};
  std::array<config_draft, Configs> configs{};
};

template <class Array, class List>
constexpr void copy_into(Array& array, const List& items) {
  for (std::size_t i = 0; i < items.size(); ++i) array[i] = items[i];
}

template <const embedded_file& File, class Ops>
consteval auto read_draft() {
  constexpr sizes n = sizes_v<File, Ops>;
  frozen_draft<n.elements, n.dtype_configs, n.paths, n.observers, n.configs> out;
  if constexpr (n.valid) {
    findings none;
    const backend_reader read{root<File>(), table_v<File, Ops>, none};
    out.name = read.draft.name;
    copy_into(out.elements, read.draft.elements);
    copy_into(out.dtype_configs, read.draft.dtype_configs);
    copy_into(out.paths, read.draft.paths);
    copy_into(out.observers, read.draft.observers);
    copy_into(out.configs, read.draft.configs);
  }
  return out;
}

template <const embedded_file& File, class Ops>
inline constexpr auto draft_v = read_draft<File, Ops>();

template <const embedded_file& File, class Ops>
consteval auto link() {
  constexpr auto& draft = draft_v<File, Ops>;
  std::array<backend_pattern_config_record, draft.configs.size()> records{};
  for (std::size_t i = 0; i < records.size(); ++i) records[i] = linked(draft.configs[i], draft);
  return records;
}

template <const embedded_file& File, class Ops>
inline constexpr auto records_v = link<File, Ops>();

template <const embedded_file& File, class Ops>
inline constexpr backend_view view_v{
    draft_v<File, Ops>.name,
    {records_v<File, Ops>.data(), static_cast<int>(records_v<File, Ops>.size())}};

// --- The first mistake, at its place -------------------------------------------------------------

template <const embedded_file& File, class Ops>
consteval findings find() {
  findings found;
  if constexpr (!is_json<File>) {
    add_syntax_error(found, tape_v<File>.error);
  } else if constexpr (!sizes_v<File, Ops>.valid) {
    static_cast<void>(op_declarations{root<File>(), Ops::value, found});
    static_cast<void>(backend_reader{root<File>(), table_v<File, Ops>, found});
  } else {
    validate(view_v<File, Ops>, found);
    locate_all(found, root<File>());
  }
  return found;
}

template <const embedded_file& File, class Ops, strictness Strictness>
consteval diagnostic first_problem() {
  diagnostic d;
  const findings found = find<File, Ops>();
  const finding* const first = first_in_text(found, Strictness);
  if (first != nullptr) append_located(d.text, File.name, File.text, *first);
  return d;
}

}  // namespace file_parts

/// The backend described by a file.
///   Ops  ops that its patterns can name besides those that it declares
template <const embedded_file& File, class Ops = ops<builtin>>
struct spec_from_json {
  static constexpr std::string_view name = file_parts::draft_v<File, Ops>.name;
  static constexpr view<backend_pattern_config_record> records =
      file_parts::view_v<File, Ops>.configs;

  template <strictness Strictness>
  static constexpr diagnostic problem = file_parts::first_problem<File, Ops, Strictness>();
};

}  // namespace ctq
