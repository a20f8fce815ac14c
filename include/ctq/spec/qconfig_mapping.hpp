// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/fixed_string.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/spec/qconfig.hpp"

// Assignment of qconfigs to nodes. The levels, in ascending priority, are PyTorch's:
//   global < object_type < module_name_regex < module_name < module_name_object_type_order

namespace ctq {

enum class mapping_level : std::uint8_t {
  none,
  global,
  object_type,
  module_name_regex,
  module_name,
  module_name_object_type_order,
};

namespace names {
inline constexpr std::string_view of_mapping_level[] = {
    "none",        "global",
    "object_type", "module_name_regex",
    "module_name", "module_name_object_type_order"};
}

[[nodiscard]] constexpr std::string_view name_of(mapping_level l) {
  return names::of_mapping_level[static_cast<std::size_t>(l)];
}

struct mapping_entry {
  mapping_level level = mapping_level::none;
  op_id op{};
  std::string_view module{};  // a name, or a regular expression
  int order{};
  bool quantizes{};
  qconfig_record qconfig{};
};

/// A mapping as plain records, as the passes read it. Non-owning.
struct mapping_view {
  const mapping_entry* entries{};
  int count{};
};

namespace mapping_parts {

template <class QConfig>
concept is_qconfig = requires {
  requires std::same_as<decltype(QConfig::value), const qconfig_record>;
  requires std::same_as<decltype(QConfig::quantizes), const bool>;
};

/// An entry; if QConfig is not a qconfig, with one that validate reports.
template <class QConfig>
constexpr mapping_entry entry(mapping_level level, op_id op, std::string_view module, int order) {
  if constexpr (is_qconfig<QConfig>)
    return {level, op, module, order, QConfig::quantizes, QConfig::value};
  else
    return {level, op, module, order, true, {not_an_observer, not_an_observer}};
}

/// The record of an entry; for any other type, a record without a level, which validate reports.
template <class Entry>
constexpr mapping_entry record_of() {
  if constexpr (requires { requires std::same_as<decltype(Entry::value), const mapping_entry>; })
    return Entry::value;
  else
    return {};
}

}  // namespace mapping_parts

template <class QConfig>
struct global {
  static constexpr mapping_entry value =
      mapping_parts::entry<QConfig>(mapping_level::global, nullptr, {}, 0);
};

template <auto Op, class QConfig>
struct object_type {
  static constexpr mapping_entry value =
      mapping_parts::entry<QConfig>(mapping_level::object_type, id_or_null(Op), {}, 0);
};

/// As Python's re.match: Pattern matches at the start of the module's name. See name_regex.hpp.
template <fixed_string Pattern, class QConfig>
struct module_name_regex {
  static constexpr mapping_entry value =
      mapping_parts::entry<QConfig>(mapping_level::module_name_regex, nullptr, Pattern.view(), 0);
};

/// The module of this name and all its submodules.
template <fixed_string Module, class QConfig>
struct module_name {
  static constexpr mapping_entry value =
      mapping_parts::entry<QConfig>(mapping_level::module_name, nullptr, Module.view(), 0);
};

/// The Order-th node of this op (from 0, in graph order) in the module of this name.
template <fixed_string Module, auto Op, int Order, class QConfig>
struct module_name_object_type_order {
  static constexpr mapping_entry value = mapping_parts::entry<QConfig>(
      mapping_level::module_name_object_type_order, id_or_null(Op), Module.view(), Order);
};

/// This module stays in float, without an error that it is not quantized.
template <fixed_string Module>
using allow_float = module_name<Module, qconfig_none>;

/// Of two entries with the same key the later one is used.
template <class... Entry>
struct qconfig_mapping {
  static constexpr std::array<mapping_entry, sizeof...(Entry)> entries{
      mapping_parts::record_of<Entry>()...};

  template <class... Other>
  using set = qconfig_mapping<Entry..., Other...>;
};

namespace mapping_parts {

/// A template of the short tag, so that no symbol contains all entries.
template <class Mapping>
inline constexpr auto entries_of = Mapping::entries;

template <class Mapping>
concept has_records = requires {
  requires std::same_as<decltype(Mapping::records), const mapping_view>;
};

/// Satisfied by types derived from qconfig_mapping, and by mappings read from a file.
template <class Mapping>
concept is_mapping = has_records<Mapping> || requires {
  { Mapping::entries.data() } -> std::same_as<const mapping_entry*>;
};

template <class Mapping>
constexpr mapping_view view_of() {
  if constexpr (has_records<Mapping>) {
    return Mapping::records;
  } else if constexpr (is_mapping<Mapping>) {
    return {entries_of<Mapping>.data(), static_cast<int>(entries_of<Mapping>.size())};
  } else {
    return {};
  }
}

}  // namespace mapping_parts

/// The mapping that PyTorch has for a backend, used if none is given: see
/// backends/default_qconfig_mappings.hpp.
template <class Backend>
struct default_qconfig_mapping;

/// The entries of a mapping defined by types or read from a file; none of another type.
template <class Mapping>
inline constexpr mapping_view mapping_v = mapping_parts::view_of<Mapping>();

}  // namespace ctq
