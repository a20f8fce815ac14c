// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/json/write_mapping.hpp"
#include "ctq/json/write_op.hpp"
#include "ctq/spec/custom_config.hpp"

// Custom configs as JSON, in the form that read.hpp describes, one line per key.
// Empty lists are omitted, as in PyTorch's to_dict.

namespace ctq::json {

namespace custom_config_parts {

template <class Text>
constexpr void write_mapping(writer<Text>& out, const mapping_view& mapping) {
  out.object([&] {
    for (int l = static_cast<int>(mapping_level::global);
         l <= static_cast<int>(mapping_level::module_name_object_type_order); ++l) {
      const auto level = static_cast<mapping_level>(l);
      int count = 0;
      for (int i = 0; i < mapping.count; ++i) count += mapping.entries[i].level == level ? 1 : 0;
      if (count == 0) continue;
      if (level == mapping_level::global) {
        int last = mapping.count - 1;
        while (mapping.entries[last].level != level) --last;
        mapping_parts::write_qconfig(out.plain_key(""), mapping.entries[last]);
        continue;
      }
      out.plain_key(name_of(level)).array([&] {
        for (int i = 0; i < mapping.count; ++i)
          if (mapping.entries[i].level == level)
            mapping_parts::write_entry(out, mapping.entries[i]);
      });
    }
  });
}

template <class Text>
class custom_config_writer {
 public:
  ///   is_root  true: each member is on a line of its own, and ops of the user are declared;
  ///            false: the config is that of a standalone module
  constexpr custom_config_writer(Text& text, bool is_root) : text_(text), is_root_(is_root) {}

  constexpr void prepare(const prepare_custom_config& c) {
    open();
    if (is_root_) declare(own_of(c));
    standalone("standalone_module_name", c, true);
    standalone("standalone_module_class", c, false);
    classes("float_to_observed_custom_module_class", c.custom_modules, &custom_module::float_class,
            &custom_module::observed);
    list("non_traceable_module_name", c.non_traceable_module_names);
    if (!c.non_traceable_module_classes.empty())
      member("non_traceable_module_class", [&](writer<Text>& out) {
        out.array([&] {
          for (const op_id op : c.non_traceable_module_classes) write_op(out, op);
        });
      });
    list("input_quantized_idxs", c.input_quantized_indexes);
    list("output_quantized_idxs", c.output_quantized_indexes);
    list("preserved_attributes", c.preserved_attributes);
    close();
  }

  constexpr void convert(const convert_custom_config& c) {
    open();
    declare(own_of({.custom_modules = c.custom_modules}));
    classes("observed_to_quantized_custom_module_class", c.custom_modules, &custom_module::observed,
            &custom_module::quantized);
    list("preserved_attributes", c.preserved_attributes);
    close();
  }

  constexpr void fuse(const fuse_custom_config& c) {
    open();
    list("preserved_attributes", c.preserved_attributes);
    close();
  }

 private:
  constexpr void open() { text_.append("{"); }
  constexpr void close() { text_.append(is_root_ ? any_ ? "\n}\n" : "}\n" : "}"); }

  template <class Body>
  constexpr void member(std::string_view key, Body body) {
    text_.append(any_ ? (is_root_ ? ",\n  \"" : ", \"") : (is_root_ ? "\n  \"" : "\""));
    any_ = true;
    append_all(text_, key, "\": ");
    writer<Text> out{text_};
    body(out);
  }

  template <class T>
  constexpr void list(std::string_view key, const view<T>& items) {
    if (items.empty()) return;
    member(key, [&](writer<Text>& out) {
      out.array([&] {
        for (const T& item : items) out.value(item);
      });
    });
  }

  constexpr void standalone(std::string_view key, const prepare_custom_config& c, bool by_name) {
    bool any = false;
    for (const standalone_module& s : c.standalone) any = any || s.name.empty() != by_name;
    if (!any) return;
    member(key, [&](writer<Text>& out) {
      out.array([&] {
        for (const standalone_module& s : c.standalone)
          if (s.name.empty() != by_name) entry(out, s);
      });
    });
  }

  constexpr void entry(writer<Text>& out, const standalone_module& s) {
    out.array([&] {
      if (s.name.empty()) {
        write_op(out, s.type);
      } else {
        out.value(s.name);
      }
      if (s.mapping == nullptr) {
        out.null();
      } else {
        write_mapping(out, *s.mapping);
      }
      out.verbatim("[]");
      out.verbatim("");  // the comma
      custom_config_writer{text_, false}.prepare(s.custom);
      if (s.backend == nullptr) {
        out.null();
      } else {
        out.value(s.backend->name);
      }
    });
  }

  constexpr void classes(std::string_view key, const view<custom_module>& all,
                         op_id custom_module::*from, op_id custom_module::*to) {
    const auto has = [&](const custom_module& c, quant_type type) {
      return c.type == type && c.*from != nullptr && c.*to != nullptr;
    };
    constexpr int first = static_cast<int>(quant_type::dynamic);
    constexpr int last = static_cast<int>(quant_type::weight_only);
    bool any = false;
    for (const custom_module& c : all)
      for (int t = first; t <= last; ++t) any = any || has(c, static_cast<quant_type>(t));
    if (!any) return;
    member(key, [&](writer<Text>& out) {
      out.object([&] {
        for (int t = first; t <= last; ++t) {
          const auto type = static_cast<quant_type>(t);
          int count = 0;
          for (const custom_module& c : all) count += has(c, type) ? 1 : 0;
          if (count == 0) continue;
          out.plain_key(name_of(type)).object([&] {
            for (const custom_module& c : all) {
              if (!has(c, type)) continue;
              out.key((c.*from)->name);
              write_op(out, c.*to);
            }
          });
        }
      });
    });
  }

  /// The ops of the user.
  static constexpr ctq::list<op_id> own_of(const prepare_custom_config& c) {
    ctq::list<op_id> own;
    collect(c, own);
    return own;
  }

  static constexpr void collect(const prepare_custom_config& c, ctq::list<op_id>& own) {
    const auto add = [&own](op_id op) {
      if (op == nullptr || op->builtin) return;
      for (const op_id known : own)
        if (is_same_op(known, op)) return;
      own.push_back(op);
    };
    for (const standalone_module& s : c.standalone) {
      add(s.type);
      for (int i = 0; s.mapping != nullptr && i < s.mapping->count; ++i)
        add(s.mapping->entries[i].op);
      collect(s.custom, own);
    }
    for (const custom_module& m : c.custom_modules)
      for (const op_id op : {m.float_class, m.observed, m.quantized}) add(op);
    for (const op_id op : c.non_traceable_module_classes) add(op);
  }

  constexpr void declare(const ctq::list<op_id>& own) {
    if (own.empty()) return;
    member("ops", [&](writer<Text>& out) { write_declarations(out, own); });
  }

  Text& text_;
  bool is_root_;
  bool any_ = false;  // members
};

}  // namespace custom_config_parts

/// Appends the canonical JSON of a custom config.
template <class Text>
constexpr void append_json(Text& out, const prepare_custom_config& c) {
  custom_config_parts::custom_config_writer<Text>{out, true}.prepare(c);
}
template <class Text>
constexpr void append_json(Text& out, const convert_custom_config& c) {
  custom_config_parts::custom_config_writer<Text>{out, true}.convert(c);
}
template <class Text>
constexpr void append_json(Text& out, const fuse_custom_config& c) {
  custom_config_parts::custom_config_writer<Text>{out, true}.fuse(c);
}

}  // namespace ctq::json
