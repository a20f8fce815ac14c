// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/json/draft.hpp"
#include "ctq/spec/custom_config.hpp"

// Intermediate form of a custom config between a file and its records, as draft.hpp is for
// backends.

namespace ctq::json {

struct standalone_draft;

/// A prepare_custom_config whose lists are ranges in the lists of the draft. A config of convert or
/// fuse has some of them.
struct custom_config_part {
  list_part<standalone_draft> standalone{};
  list_part<custom_module> custom_modules{};
  list_part<std::string_view> non_traceable_module_names{};
  list_part<op_id> non_traceable_module_classes{};
  list_part<int> input_quantized_indexes{};
  list_part<int> output_quantized_indexes{};
  list_part<std::string_view> preserved_attributes{};
};

struct standalone_draft {
  std::string_view name{};
  op_id type{};
  int mapping = -1;  // among the mappings of the draft
  int backend = -1;  // among the known backends
  custom_config_part custom{};
};

/// The contents of a file. All names are views of its text.
struct custom_config_draft {
  custom_config_part root{};
  list<standalone_draft> standalone{};
  list<custom_module> custom_modules{};
  list<std::string_view> names{};
  list<op_id> classes{};
  list<int> indexes{};
  list<list_part<mapping_entry>> mappings{};
  list<mapping_entry> entries{};
};

/// The lists that records view: those of a draft, and the linked ones.
struct custom_config_lists {
  list<custom_module> custom_modules{};
  list<std::string_view> names{};
  list<op_id> classes{};
  list<int> indexes{};
  list<mapping_entry> entries{};
  list<mapping_view> mappings{};
  list<standalone_module> standalone{};
};

/// The record of a part of a draft, with views of the given lists.
template <class Lists>
constexpr prepare_custom_config linked(const custom_config_part& c, const Lists& lists) {
  using linking::part_of;
  return {{lists.standalone.data() + c.standalone.first, c.standalone.count},
          part_of(lists.custom_modules, c.custom_modules),
          part_of(lists.names, c.non_traceable_module_names),
          part_of(lists.classes, c.non_traceable_module_classes),
          part_of(lists.indexes, c.input_quantized_indexes),
          part_of(lists.indexes, c.output_quantized_indexes),
          part_of(lists.names, c.preserved_attributes)};
}

/// Fills the standalone modules and the mappings, which have the sizes of those of the draft, with
/// views of the other lists of `out`, which are those of the draft.
template <class Lists>
constexpr void link(const custom_config_draft& d, const view<backend_view>& backends, Lists& out) {
  for (std::size_t i = 0; i < d.mappings.size(); ++i)
    out.mappings[i] = {out.entries.data() + d.mappings[i].first, d.mappings[i].count};
  for (std::size_t i = 0; i < d.standalone.size(); ++i) {
    const standalone_draft& s = d.standalone[i];
    out.standalone[i] = {s.name, s.type, s.mapping < 0 ? nullptr : out.mappings.data() + s.mapping,
                         s.backend < 0 ? nullptr : backends.begin() + s.backend,
                         linked(s.custom, out)};
  }
}

}  // namespace ctq::json
