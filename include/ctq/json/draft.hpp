// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/reflect.hpp"
#include "ctq/spec/backend_config.hpp"

// Intermediate form of a backend between a file and its records. The records point into lists,
// which are reallocated while they grow or copied into constants, so configs refer to them by
// index.

namespace ctq::json {

/// A range of items in a list.
template <class Item>
struct list_part {
  int first{};
  int count{};
};

/// PyTorch's nested form of a pattern.
struct nested_pattern : list_part<pattern_element> {};

/// A backend_pattern_config_record whose lists are ranges in the lists of the draft. The members
/// are named as the keys in the file, of which a config has one for its pattern.
struct config_draft {
  list_part<pattern_element> pattern{};
  nested_pattern pattern_complex_format{};
  ctq::observation_type observation_type{};
  list_part<dtype_config_record> dtype_configs{};
  op_id root_module{};
  op_id qat_module{};
  op_id reference_quantized_module_for_root{};
  op_id fused_module{};
  fuser_id fuser_method{};
  node_path root_node_getter{};
  list_part<node_path> extra_inputs_getter{};
  tensor_args_record num_tensor_args_to_observation_type{};
  input_index_record input_type_to_index{};
  observed input_output_observed{};
  list_part<observer_record> overwrite_output_observer{};
  list_part<observer_record> overwrite_output_fake_quantize{};
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

namespace linking {

template <class Item, class List>
constexpr view<Item> part_of(const List& items, const list_part<Item>& part) {
  return {items.data() + part.first, part.count};
}

}  // namespace linking

/// The record of a config, with views of the given lists.
template <class Lists>
[[nodiscard]] constexpr backend_pattern_config_record linked(const config_draft& c,
                                                             const Lists& lists) {
  using linking::part_of;
  return {{part_of(lists.elements, c.pattern.count > 0 ? c.pattern : c.pattern_complex_format)},
          c.observation_type,
          part_of(lists.dtype_configs, c.dtype_configs),
          c.root_module,
          c.qat_module,
          c.reference_quantized_module_for_root,
          c.fused_module,
          c.fuser_method,
          c.root_node_getter,
          part_of(lists.paths, c.extra_inputs_getter),
          c.num_tensor_args_to_observation_type,
          c.input_type_to_index,
          c.input_output_observed,
          part_of(lists.observers, c.overwrite_output_observer),
          part_of(lists.observers, c.overwrite_output_fake_quantize)};
}

}  // namespace ctq::json

BOOST_HANA_ADAPT_STRUCT(ctq::json::config_draft, pattern, pattern_complex_format, observation_type,
                        dtype_configs, root_module, qat_module, reference_quantized_module_for_root,
                        fused_module, fuser_method, root_node_getter, extra_inputs_getter,
                        num_tensor_args_to_observation_type, input_type_to_index,
                        input_output_observed, overwrite_output_observer,
                        overwrite_output_fake_quantize);
