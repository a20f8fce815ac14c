// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
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

template <class QConfig>
struct global {
  static constexpr mapping_entry value{mapping_level::global, nullptr,       {}, 0,
                                       QConfig::quantizes,    QConfig::value};
};

template <auto Op, class QConfig>
struct object_type {
  static constexpr mapping_entry value{mapping_level::object_type, Op.id(),       {}, 0,
                                       QConfig::quantizes,         QConfig::value};
};

/// As Python's re.match: Pattern matches at the start of the module's name. See name_regex.hpp.
template <fixed_string Pattern, class QConfig>
struct module_name_regex {
  static constexpr mapping_entry value{mapping_level::module_name_regex,
                                       nullptr,
                                       Pattern.view(),
                                       0,
                                       QConfig::quantizes,
                                       QConfig::value};
};

/// The module of this name and all its submodules.
template <fixed_string Module, class QConfig>
struct module_name {
  static constexpr mapping_entry value{mapping_level::module_name, nullptr,       Module.view(), 0,
                                       QConfig::quantizes,         QConfig::value};
};

/// The Order-th node of this op (from 0, in graph order) in the module of this name.
template <fixed_string Module, auto Op, int Order, class QConfig>
struct module_name_object_type_order {
  static constexpr mapping_entry value{mapping_level::module_name_object_type_order,
                                       Op.id(),
                                       Module.view(),
                                       Order,
                                       QConfig::quantizes,
                                       QConfig::value};
};

/// This module stays in float, without an error that it is not quantized.
template <fixed_string Module>
using allow_float = module_name<Module, qconfig_none>;

/// Of two entries with the same key the later one is used.
template <class... Entry>
struct qconfig_mapping {
  static constexpr std::array<mapping_entry, sizeof...(Entry)> entries{Entry::value...};

  template <class... Other>
  using set = qconfig_mapping<Entry..., Other...>;
};

namespace mapping_parts {

/// A template of the short tag, so that no symbol contains all entries.
template <class Mapping>
inline constexpr auto entries_of = Mapping::entries;

template <class Mapping>
constexpr mapping_view view_of() {
  if constexpr (requires { Mapping::records; }) {
    return Mapping::records;
  } else {
    return {entries_of<Mapping>.data(), static_cast<int>(entries_of<Mapping>.size())};
  }
}

}  // namespace mapping_parts

/// The mapping that PyTorch has for a backend, used if none is given: see
/// backends/default_qconfig_mappings.hpp.
template <class Backend>
struct default_qconfig_mapping;

/// The entries of a mapping defined by types or read from a file.
template <class Mapping>
inline constexpr mapping_view mapping_v = mapping_parts::view_of<Mapping>();

}  // namespace ctq
