// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/list.hpp"
#include "ctq/spec/backend_config.hpp"

// Intermediate form of a backend between a file and its records. The records point into lists,
// which are reallocated while they grow or copied into constants, so configs refer to them by
// index.

namespace ctq::json {

/// A range of items in a list.
struct list_part {
  int first{};
  int count{};
};

/// A config whose lists are ranges in the lists of the draft.
struct config_draft {
  backend_pattern_config_record record{};
  list_part elements{};
  list_part dtype_configs{};
  list_part paths{};
  int overwrite_observer = -1;
  int overwrite_fake_quantize = -1;
};

/// The contents of a file. All names are views of its text.
struct backend_draft {
  std::string_view name{};
  list<pattern_element> elements{};
  list<dtype_config_record> dtype_configs{};
  list<node_path> paths{};
  list<observer_record> observers{};
  list<config_draft> configs{};
};

/// The record of a config, with pointers into the given lists.
template <class Lists>
[[nodiscard]] constexpr backend_pattern_config_record linked(const config_draft& c,
                                                             const Lists& lists) {
  backend_pattern_config_record r = c.record;
  r.pattern.element = {lists.elements.data() + c.elements.first, c.elements.count};
  r.dtype_configs = {lists.dtype_configs.data() + c.dtype_configs.first, c.dtype_configs.count};
  r.extra_inputs_getter = {lists.paths.data() + c.paths.first, c.paths.count};
  const auto observer = [&lists](int i) { return i < 0 ? nullptr : lists.observers.data() + i; };
  r.overwrite_output_observer = observer(c.overwrite_observer);
  r.overwrite_output_fake_quantize = observer(c.overwrite_fake_quantize);
  return r;
}

}  // namespace ctq::json
