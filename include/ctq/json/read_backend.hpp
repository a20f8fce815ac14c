// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/containers/list.hpp"
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

/// A limit on the number of dtype configs of a pattern.
inline constexpr std::uint32_t max_dtype_configs = 64;

class backend_reader : public reader {
 public:
  /// Reads the whole document.
  ///   ops  all ops that patterns can name, including declared ones
  constexpr backend_reader(element root, const op_table& ops, findings& out)
      : reader(ops, out), out_(out), pattern_(ops, out, draft.elements) {
    if (!expect(root, kind::object)) return;
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
        nearest near{key.name()};
        for (const std::string_view known : {"name", "ops", "configs", "$schema"})
          near.offer(known);
        unknown(rule::unknown_key, key, "key here", near);
      }
    }
    if (!named) error(rule::missing_key, root, "name is missing");
    if (!configured) error(rule::missing_key, root, "configs is missing");
  }

  backend_draft draft{};

  using reader::read;

  constexpr void read(element e, list_part<pattern_element>& out) { pattern(e, true, out); }
  constexpr void read(element e, nested_pattern& out) { pattern(e, false, out); }

  /// Configs of a category have identical lists of dtype configs, which are read only once.
  constexpr void read(element e, list_part<dtype_config_record>& out) {
    if (!expect(e, kind::array)) return;
    for (std::size_t i = lists_.size(); i-- > 0;) {
      if (!same_text(lists_[i].text, e.text())) continue;
      out = lists_[i].configs;
      return;
    }
    if (e.size() > max_dtype_configs)
      return error(rule::too_many, e, "more than 64 dtype configs of one pattern");
    const int findings_before = out_.total();
    out.first = static_cast<int>(draft.dtype_configs.size());
    for (const element config : e.elements()) read(config, draft.dtype_configs.emplace_back());
    out.count = static_cast<int>(draft.dtype_configs.size()) - out.first;
    if (out_.total() == findings_before) lists_.push_back({e.text(), out});
  }

  constexpr void read(element e, fuser_id& out) {
    if (e.type() == kind::null || !expect(e, kind::string)) return;
    const std::string_view name = without_module(e.name());
    out = find_fuser(name);
    if (out != nullptr) return;
    nearest near{name};
    for (const fuser_id known : fuser_table) near.offer(known->name);
    unknown(rule::unknown_value, e, "fuser method", near);
  }

  constexpr void read(element e, node_path& out) {
    if (!expect(e, kind::array)) return;
    if (e.size() > max_path || e.size() == 0)
      return error(rule::node_path, e, "expected 1 to 8 indices");
    for (const element index : e.elements()) {
      int i = 0;
      read(index, i);
      out.index[static_cast<std::size_t>(out.length++)] =
          static_cast<std::int8_t>(i < 0 || i > 100 ? 101 : i);  // both are invalid
    }
  }

  constexpr void read(element e, list_part<node_path>& out) {
    if (!expect(e, kind::array)) return;
    if (e.size() > max_pattern)
      return error(rule::too_many, e, "more than 64 extra inputs of one pattern");
    out = {static_cast<int>(draft.paths.size()), static_cast<int>(e.size())};
    for (const element one : e.elements()) read(one, draft.paths.emplace_back());
  }

  /// {"0": "OUTPUT_...", "1": ...}: JSON's keys are strings, Python's are numbers.
  constexpr void read(element e, tensor_args_record& out) {
    if (!expect(e, kind::object)) return;
    for (const auto [key, value] : e.members()) {
      const std::string_view n = key.name();
      const std::size_t at = n.size() == 1 ? static_cast<std::size_t>(n[0] - '0') : max_tensor_args;
      if (at >= max_tensor_args) {
        error(rule::unknown_key, key, "expected a count of tensor arguments, 0 to 3");
      } else if (out.given[at]) {
        error(rule::duplicate_key, key, n, " is duplicated");
      } else {
        out.given[at] = true;
        read(value, out.type[at]);
      }
    }
  }

  constexpr void read(element e, input_index_record& out) {
    if (expect(e, kind::object)) read_fields(e, out);
  }

  constexpr void read(element e, observed& out) {
    if (expect(e, kind::boolean)) out = e.boolean() ? observed::yes : observed::no;
  }

  constexpr void read(element e, list_part<observer_record>& out) {
    if (e.type() == kind::null) return;
    out = {static_cast<int>(draft.observers.size()), 1};
    read_observer(*this, e, draft.observers.emplace_back());
  }

 private:
  constexpr bool repeated(element key, bool& seen) {
    if (seen) error(rule::duplicate_key, key, key.text(), " is duplicated");
    const bool before = seen;
    seen = true;
    return before;
  }

  constexpr void name(element e) {
    if (expect(e, kind::string)) draft.name = e.name();
  }

  constexpr void configs(element array) {
    if (!expect(array, kind::array)) return;
    draft.configs.reserve(array.size() < max_configs ? array.size() : max_configs);
    for (const element e : array.elements()) {
      if (out_.full()) return;
      if (static_cast<int>(draft.configs.size()) == max_configs)
        return error(rule::too_many, e, "more than 4096 patterns");
      config_draft& c = draft.configs.emplace_back();
      if (expect(e, kind::object)) config(e, c);
    }
  }

  constexpr void config(element object, config_draft& c) {
    const std::uint64_t seen = read_fields_with(*this, object, c, "key of a pattern config",
                                                [](element) { return false; });
    const bool flat = (seen & 1U) != 0;
    const bool nested = (seen & 2U) != 0;
    if (flat && nested) {
      error(rule::pattern_form, object,
            "pattern and pattern_complex_format are mutually exclusive");
    } else if (!flat && !nested) {
      error(rule::missing_key, object, "pattern is missing");
    }
  }

  constexpr void pattern(element e, bool flat, list_part<pattern_element>& out) {
    out.first = static_cast<int>(draft.elements.size());
    pattern_.read(e, flat);
    out.count = static_cast<int>(draft.elements.size()) - out.first;
  }

  struct known_list {
    std::string_view text{};
    list_part<dtype_config_record> configs{};
  };

  findings& out_;
  pattern_reader pattern_;
  list<known_list> lists_;
};

}  // namespace ctq::json
