// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/list.hpp"
#include "ctq/json/draft.hpp"
#include "ctq/json/read_observer.hpp"
#include "ctq/json/read_pattern.hpp"
#include "ctq/json/reader.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/fuser_method.hpp"

// Backends in JSON, in a form close to PyTorch's to_dict: qualified names are strings, getters are
// paths of indices, and user-defined ops are declared. The schema is backend_config.schema.json.

namespace ctq::json {

/// A limit on the number of patterns, since they are compared in pairs.
inline constexpr int max_configs = 4096;

/// Per pattern.
inline constexpr std::uint32_t max_dtype_configs = 64;

class backend_reader {
 public:
  /// Reads the whole document. ops: all ops that patterns can name, including declared ones.
  constexpr backend_reader(element root, const op_table& ops, findings& out)
      : out_(out), read_(ops, out), pattern_(ops, out, draft.elements) {
    if (!read_.expect(root, kind::object)) return;
    bool named = false;
    bool declared = false;
    bool described = false;
    bool configured = false;
    for (const auto [key, value] : root.members()) {
      if (key.is("name")) {
        if (!repeated(key, named)) name(value);
      } else if (key.is("ops")) {
        repeated(key, declared);
      } else if (key.is("configs")) {
        if (!repeated(key, configured)) configs(value);
      } else if (key.is("$schema")) {
        repeated(key, described);
      } else {
        nearest near{key.text()};
        for (const std::string_view known : {"name", "ops", "configs", "$schema"})
          near.offer(known);
        read_.unknown(rule::unknown_key, key, "key here", near);
      }
    }
    if (!named) read_.error(rule::missing_key, root, "name is missing");
    if (!configured) read_.error(rule::missing_key, root, "configs is missing");
  }

  backend_draft draft{};

 private:
  enum class field : unsigned char {
    pattern,
    pattern_complex_format,
    observation_type,
    dtype_configs,
    root_module,
    qat_module,
    reference_quantized_module_for_root,
    fused_module,
    fuser_method,
    root_node_getter,
    extra_inputs_getter,
    num_tensor_args_to_observation_type,
    input_type_to_index,
    input_output_observed,
    overwrite_output_observer,
    overwrite_output_fake_quantize,
  };
  static constexpr std::string_view fields[] = {"pattern",
                                                "pattern_complex_format",
                                                "observation_type",
                                                "dtype_configs",
                                                "root_module",
                                                "qat_module",
                                                "reference_quantized_module_for_root",
                                                "fused_module",
                                                "fuser_method",
                                                "root_node_getter",
                                                "extra_inputs_getter",
                                                "num_tensor_args_to_observation_type",
                                                "input_type_to_index",
                                                "input_output_observed",
                                                "overwrite_output_observer",
                                                "overwrite_output_fake_quantize"};
  static constexpr int field_count = sizeof(fields) / sizeof(fields[0]);

  constexpr bool repeated(element key, bool& seen) {
    if (seen) read_.error(rule::duplicate_key, key, key.text(), " is duplicated");
    const bool before = seen;
    seen = true;
    return before;
  }

  constexpr void name(element e) {
    if (!read_.expect(e, kind::string)) return;
    if (e.has_escapes()) return read_.error(rule::wrong_type, e, "expected a name without escapes");
    draft.name = e.text();
  }

  constexpr void configs(element array) {
    if (!read_.expect(array, kind::array)) return;
    draft.configs.reserve(array.size() < max_configs ? array.size() : max_configs);
    for (const element e : array.elements()) {
      if (out_.full()) return;
      if (static_cast<int>(draft.configs.size()) == max_configs)
        return read_.error(rule::too_many, e, "more than 4096 patterns");
      config_draft& c = draft.configs.emplace_back();
      c.elements = {static_cast<int>(draft.elements.size()), 0};
      c.paths = {static_cast<int>(draft.paths.size()), 0};
      if (read_.expect(e, kind::object)) config(e, c);
      c.elements.count = static_cast<int>(draft.elements.size()) - c.elements.first;
      c.paths.count = static_cast<int>(draft.paths.size()) - c.paths.first;
    }
  }

  constexpr void config(element object, config_draft& c) {
    bool seen[field_count]{};
    for (const auto [key, value] : object.members()) {
      const std::string_view name = key.text();
      int found = 0;
      while (found < field_count && !same_text(name, fields[found])) ++found;
      if (found == field_count) {
        nearest near{key.text()};
        for (const std::string_view f : fields) near.offer(f);
        read_.unknown(rule::unknown_key, key, "key of a pattern config", near);
      } else if (!repeated(key, seen[found])) {
        read_field(static_cast<field>(found), value, c);
      }
    }
    const bool flat = seen[static_cast<int>(field::pattern)];
    const bool nested = seen[static_cast<int>(field::pattern_complex_format)];
    if (flat && nested) {
      read_.error(rule::pattern_form, object,
                  "pattern and pattern_complex_format are mutually exclusive");
    } else if (!flat && !nested) {
      read_.error(rule::missing_key, object, "pattern is missing");
    }
  }

  constexpr void read_field(field f, element e, config_draft& c) {
    backend_pattern_config_record& r = c.record;
    switch (f) {
      case field::pattern:
      case field::pattern_complex_format: return pattern_.read(e, f == field::pattern);
      case field::observation_type: return read_.read(e, r.observation_type);
      case field::dtype_configs: return dtype_configs(e, c.dtype_configs);
      case field::root_module: return read_.read(e, r.root_module);
      case field::qat_module: return read_.read(e, r.qat_module);
      case field::reference_quantized_module_for_root:
        return read_.read(e, r.reference_quantized_module_for_root);
      case field::fused_module: return read_.read(e, r.fused_module);
      case field::fuser_method: return fuser(e, r.fuser_method);
      case field::root_node_getter: return path(e, r.root_node_getter);
      case field::extra_inputs_getter: return paths(e);
      case field::num_tensor_args_to_observation_type:
        return tensor_args(e, r.num_tensor_args_to_observation_type);
      case field::input_type_to_index:
        if (read_.expect(e, kind::object)) read_.read_fields(e, r.input_type_to_index);
        return;
      case field::input_output_observed:
        if (read_.expect(e, kind::boolean))
          r.input_output_observed = e.boolean() ? observed::yes : observed::no;
        return;
      case field::overwrite_output_observer: return observer(e, c.overwrite_observer);
      case field::overwrite_output_fake_quantize: return observer(e, c.overwrite_fake_quantize);
    }
  }

  /// Configs of a category have identical lists of dtype configs, which are read only once.
  constexpr void dtype_configs(element e, list_part& out) {
    if (!read_.expect(e, kind::array)) return;
    for (std::size_t i = lists_.size(); i-- > 0;) {
      if (!same_text(lists_[i].text, e.text())) continue;
      out = lists_[i].configs;
      return;
    }
    if (e.size() > max_dtype_configs)
      return read_.error(rule::too_many, e, "more than 64 dtype configs of one pattern");
    const int findings_before = out_.total();
    out.first = static_cast<int>(draft.dtype_configs.size());
    for (const element config : e.elements())
      read_.read(config, draft.dtype_configs.emplace_back());
    out.count = static_cast<int>(draft.dtype_configs.size()) - out.first;
    if (out_.total() == findings_before) lists_.push_back({e.text(), out});
  }

  constexpr void fuser(element e, fuser_id& out) {
    if (e.type() == kind::null || !read_.expect(e, kind::string)) return;
    const std::string_view name = without_module(e.text());
    out = find_fuser(name);
    if (out != nullptr) return;
    nearest near{name};
    for (const fuser_id known : fuser_table) near.offer(known->name);
    read_.unknown(rule::unknown_value, e, "fuser method", near);
  }

  constexpr void path(element e, node_path& out) {
    if (!read_.expect(e, kind::array)) return;
    if (e.size() > max_path || e.size() == 0)
      return read_.error(rule::node_path, e, "expected 1 to 8 indices");
    for (const element index : e.elements()) {
      int i = 0;
      read_.read(index, i);
      out.index[static_cast<std::size_t>(out.length++)] =
          static_cast<std::int8_t>(i < 0 || i > 100 ? 101 : i);  // both are invalid
    }
  }

  constexpr void paths(element e) {
    if (!read_.expect(e, kind::array)) return;
    if (e.size() > max_pattern)
      return read_.error(rule::too_many, e, "more than 64 extra inputs of one pattern");
    for (const element one : e.elements()) {
      node_path p;
      path(one, p);
      draft.paths.push_back(p);
    }
  }

  /// {"0": "OUTPUT_...", "1": ...}: JSON's keys are strings, Python's are numbers.
  constexpr void tensor_args(element e, tensor_args_record& out) {
    if (!read_.expect(e, kind::object)) return;
    for (const auto [key, value] : e.members()) {
      const std::string_view n = key.text();
      const std::size_t at = n.size() == 1 ? static_cast<std::size_t>(n[0] - '0') : max_tensor_args;
      if (at >= max_tensor_args) {
        read_.error(rule::unknown_key, key, "expected a count of tensor arguments, 0 to 3");
      } else if (out.given[at]) {
        read_.error(rule::duplicate_key, key, n, " is duplicated");
      } else {
        out.given[at] = true;
        read_.read(value, out.type[at]);
      }
    }
  }

  constexpr void observer(element e, int& out) {
    if (e.type() == kind::null) return;
    observer_record o;
    read_observer(read_, e, o);
    out = static_cast<int>(draft.observers.size());
    draft.observers.push_back(o);
  }

  struct known_list {
    std::string_view text{};
    list_part configs{};
  };

  findings& out_;
  reader read_;
  pattern_reader pattern_;
  list<known_list> lists_;
};

}  // namespace ctq::json
