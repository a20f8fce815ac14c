// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/json/custom_config/draft.hpp"
#include "ctq/json/read_mapping.hpp"
#include "ctq/json/reader.hpp"
#include "ctq/spec/custom_config.hpp"
#include "ctq/spec/validate_mapping.hpp"

// PyTorch's custom configs in JSON, in the form of their to_dict:
//   {"standalone_module_name": [["block", MAPPING, [], PREPARE_CUSTOM_CONFIG, "qnnpack"], ...],
//    "standalone_module_class": [["my.Block", null, null, null, null], ...],
//    "float_to_observed_custom_module_class": {"static": {"my.Cell": "my.ObservedCell"}},
//    "non_traceable_module_name": ["a.b"], "non_traceable_module_class": ["my.Head"],
//    "input_quantized_idxs": [0], "output_quantized_idxs": [0], "preserved_attributes": ["tag"]}
// is a config of prepare; {"observed_to_quantized_custom_module_class": {...},
// "preserved_attributes": [...]} is one of convert; one of fuse has only the attributes. The
// mapping, the custom config and the backend (its name) of a standalone module may be null; its
// example inputs have no effect. Ops of the user are declared as in a backend: "ops": [{"name":
// "my.Block", "kind": "module"}].

namespace ctq::json {

enum class custom_config_kind : std::uint8_t { prepare, convert, fuse };

/// A limit on the number of items of each list.
inline constexpr std::uint32_t max_custom_items = 1024;

class custom_config_reader : private reader {
 public:
  /// Reads the whole document.
  ///   ops       all ops that it can name, including declared ones
  ///   backends  that standalone modules can name
  constexpr custom_config_reader(element root, custom_config_kind kind, const op_table& ops,
                                 const view<backend_view>& backends, findings& out)
      : reader(ops, out), kind_(kind), ops_(ops), backends_(backends), out_(out) {
    draft.root = config(root, true);
  }

  custom_config_draft draft{};

 private:
  enum key_index {
    standalone_name,
    standalone_class,
    float_to_observed,
    non_traceable_name,
    non_traceable_class,
    input_quantized,
    output_quantized,
    observed_to_quantized,
    preserved_attributes,
    key_count
  };
  static constexpr std::string_view keys[key_count] = {"standalone_module_name",
                                                       "standalone_module_class",
                                                       "float_to_observed_custom_module_class",
                                                       "non_traceable_module_name",
                                                       "non_traceable_module_class",
                                                       "input_quantized_idxs",
                                                       "output_quantized_idxs",
                                                       "observed_to_quantized_custom_module_class",
                                                       "preserved_attributes"};

  [[nodiscard]] constexpr bool is_known(int key) const {
    return key == preserved_attributes ||
           (kind_ == custom_config_kind::prepare   ? key != observed_to_quantized
            : kind_ == custom_config_kind::convert ? key == observed_to_quantized
                                                   : false);
  }

  constexpr custom_config_part config(element object, bool is_root) {
    custom_config_part out;
    if (!expect(object, kind::object)) return out;
    out.standalone = reserve_standalone(object);
    int standalone = out.standalone.first;
    bool seen[key_count]{};
    for (const auto [key, value] : object.members()) {
      int k = 0;
      while (k < key_count && !(is_known(k) && key.is(keys[k]))) ++k;
      if (k == key_count) {
        if (!is_root || !(key.is("ops") || key.is("$schema"))) unknown_key(key);
      } else if (seen[k]) {
        error(rule::duplicate_key, key, key.text(), " is duplicated");
      } else {
        seen[k] = true;
        read_member(k, value, standalone, out);
      }
    }
    return out;
  }

  constexpr void unknown_key(element key) {
    nearest near{key.name()};
    for (int k = 0; k < key_count; ++k)
      if (is_known(k)) near.offer(keys[k]);
    unknown(rule::unknown_key, key, "key of a custom config", near);
  }

  constexpr void read_member(int key, element e, int& standalone, custom_config_part& out) {
    switch (key) {
      case standalone_name:
      case standalone_class: return standalone_modules(e, key == standalone_name, standalone);
      case float_to_observed:
      case observed_to_quantized: out.custom_modules = custom_modules(e); return;
      case non_traceable_name: out.non_traceable_module_names = names(e); return;
      case non_traceable_class: out.non_traceable_module_classes = classes(e); return;
      case input_quantized: out.input_quantized_indexes = indexes(e); return;
      case output_quantized: out.output_quantized_indexes = indexes(e); return;
      default: out.preserved_attributes = names(e);
    }
  }

  constexpr bool expect_items(element e) { return expect(e, kind::array) && fits(e.size(), e); }

  constexpr bool fits(std::uint32_t items, element where) {
    if (items <= max_custom_items) return true;
    error(rule::too_many, where, "more than 1024 items");
    return false;
  }

  /// Reserves space for the standalone modules of a config, so that they are contiguous although
  /// the modules inside them are read in between.
  constexpr list_part<standalone_draft> reserve_standalone(element object) {
    list_part<standalone_draft> part{static_cast<int>(draft.standalone.size()), 0};
    if (kind_ != custom_config_kind::prepare) return part;
    for (const key_index key : {standalone_name, standalone_class}) {
      const element e = object.find(keys[key]);
      if (!e || e.type() != kind::array || e.size() > max_custom_items) continue;
      for (std::uint32_t i = 0; i < e.size(); ++i) draft.standalone.emplace_back();
      part.count += static_cast<int>(e.size());
    }
    return part;
  }

  /// [KEY, MAPPING, EXAMPLE_INPUTS, PREPARE_CUSTOM_CONFIG, BACKEND] for each; writes to the
  /// reserved items from `at` on.
  constexpr void standalone_modules(element array, bool by_name, int& at) {
    if (!expect_items(array)) return;
    for (const element e : array.elements()) {
      if (out_.full()) return;
      if (static_cast<std::size_t>(at) == draft.standalone.size()) return;  // a duplicated key
      const standalone_draft read = standalone_entry(e, by_name);
      draft.standalone[at++] = read;
    }
  }

  constexpr standalone_draft standalone_entry(element e, bool by_name) {
    standalone_draft s;
    if (!expect(e, kind::array)) return s;
    if (e.size() != 5) {
      error(rule::wrong_type, e, "expected 5 values, not ", e.size());
      return s;
    }
    element part = e.first();
    if (by_name) {
      s.name = name(part);
    } else {
      s.type = module_class(part);
    }
    part = part.next();
    if (part.type() != kind::null) s.mapping = mapping(part);
    part = part.next();
    if (part.type() != kind::null) expect(part, kind::array);
    part = part.next();
    if (part.type() != kind::null) s.custom = config(part, false);
    part = part.next();
    if (part.type() != kind::null) s.backend = backend(part);
    return s;
  }

  constexpr std::string_view name(element e) {
    if (!expect(e, kind::string)) return {};
    if (e.name().empty()) error(rule::wrong_type, e, "expected a name that is not empty");
    return e.name();
  }

  constexpr op_id module_class(element e) {
    if (!expect(e, kind::string)) return nullptr;
    const op_id op = ops_.find(e.name());
    if (op == nullptr) {
      unknown_op(e);
    } else if (op->kind != op_kind::module) {
      error(rule::unknown_value, e, e.text().substr(0, 80), " is not the class of a module");
    }
    return op;
  }

  constexpr int mapping(element e) {
    findings found;
    const mapping_reader read{e, ops_, found};
    const list_part<mapping_entry> part{static_cast<int>(draft.entries.size()),
                                        static_cast<int>(read.entries.size())};
    for (const mapping_entry& m : read.entries) draft.entries.push_back(m);
    if (found.first_error() == nullptr)
      validate(mapping_view{read.entries.data(), part.count}, found);
    for (const finding& f : found) {
      const int at = f.offset >= 0 ? f.offset : locate_entry(e, read.at[f.place.config], f.place);
      out_.add(f.rule, f.severity, f.place, at, {word(f.text.view())});
    }
    draft.mappings.push_back(part);
    return static_cast<int>(draft.mappings.size()) - 1;
  }

  constexpr int backend(element e) {
    if (!expect(e, kind::string)) return -1;
    nearest near{e.name()};
    for (int i = 0; i < backends_.size(); ++i) {
      if (same_text(backends_[i].name, e.name())) return i;
      near.offer(backends_[i].name);
    }
    unknown(rule::unknown_value, e, "backend", near);
    return -1;
  }

  /// {"static": {"my.Cell": "my.ObservedCell"}, "dynamic": ...}
  constexpr list_part<custom_module> custom_modules(element e) {
    list_part<custom_module> part{static_cast<int>(draft.custom_modules.size()), 0};
    if (!expect(e, kind::object)) return part;
    for (const auto [key, value] : e.members()) {
      quant_type type = quant_type::unknown;
      find_name(key.name(), type, quant_type::dynamic, quant_type::weight_only);
      if (type == quant_type::unknown)
        error(rule::unknown_key, key, "expected static, dynamic, qat or weight_only");
      if (!expect(value, kind::object)) continue;
      for (const auto [from, to] : value.members()) {
        if (out_.full() || !fits(static_cast<std::uint32_t>(part.count) + 1, from)) return part;
        custom_module c{.type = type};
        op_id& first = kind_ == custom_config_kind::prepare ? c.float_class : c.observed;
        op_id& second = kind_ == custom_config_kind::prepare ? c.observed : c.quantized;
        first = module_class(from);
        second = module_class(to);
        check_new(part, type, first, from);
        // Another class of ctq would read the options of `first` as its own.
        if (first != nullptr && second != nullptr && second->builtin && second != first)
          error(rule::unknown_value, to, second->name, " cannot replace ", first->name,
                ": name a class of `ops`, or the same one");
        draft.custom_modules.push_back(c);
        ++part.count;
      }
    }
    return part;
  }

  constexpr void check_new(const list_part<custom_module>& part, quant_type type, op_id first,
                           element from) {
    for (int i = part.first; first != nullptr && i < part.first + part.count; ++i) {
      const custom_module& other = draft.custom_modules[i];
      if (other.type == type && (other.float_class == first || other.observed == first))
        error(rule::duplicate_key, from, from.text(), " is duplicated");
    }
  }

  /// Appends read_item(item) for each item of an array.
  template <class T, class Read>
  constexpr list_part<T> items(element e, list<T>& all, Read read_item) {
    list_part<T> part{static_cast<int>(all.size()), 0};
    if (!expect_items(e)) return part;
    for (const element item : e.elements()) all.push_back(read_item(item));
    part.count = static_cast<int>(e.size());
    return part;
  }

  constexpr list_part<std::string_view> names(element e) {
    return items(e, draft.names, [this](element item) { return name(item); });
  }

  constexpr list_part<op_id> classes(element e) {
    return items(e, draft.classes, [this](element item) { return module_class(item); });
  }

  constexpr list_part<int> indexes(element e) {
    return items(e, draft.indexes, [this](element item) {
      int i = 0;
      read(item, i);
      if (i < 0) error(rule::wrong_type, item, "expected an index from 0, not ", i);
      return i;
    });
  }

  custom_config_kind kind_;
  op_table ops_;
  view<backend_view> backends_;
  findings& out_;
};

}  // namespace ctq::json
