// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/core/text_buffer.hpp"
#include "ctq/json/write_observer.hpp"
#include "ctq/ops/op_table.hpp"
#include "ctq/spec/backend_config.hpp"

// Backends as canonical JSON: one line per pattern, keys in PyTorch's order, default values
// omitted. from_json(to_json(b)) equals b.

namespace ctq::json {

/// Configs of a category share a list of dtype configs, whose text is written once and cached.
class dtype_texts {
 public:
  [[nodiscard]] constexpr std::string_view of(view<dtype_config_record> configs) {
    for (std::size_t i = texts_.size(); i-- > 0;)
      if (texts_[i].configs.items == configs.items && texts_[i].configs.count == configs.count)
        return texts_[i].text.view();
    known& added = texts_.emplace_back();
    added.configs = configs;
    writer<text_buffer> out{added.text};
    out.array([&] {
      for (const dtype_config_record& d : configs) dtypes(out, d);
    });
    return added.text.view();
  }

 private:
  struct known {
    view<dtype_config_record> configs{};
    text_buffer text{};
  };

  static constexpr void dtypes(writer<text_buffer>& out, const dtype_config_record& d) {
    out.object([&] {
      for_each_change(d, [&](std::string_view name, const auto& value) {
        out.plain_key(name);
        if constexpr (requires { value.quant_min_lower_bound; }) {
          constraints(out, value);
        } else {
          write_value(out, value);
        }
      });
    });
  }

  static constexpr void constraints(writer<text_buffer>& out,
                                    const dtype_with_constraints_record& c) {
    if (c == dtype_with_constraints_record{.dtype = c.dtype}) return write_value(out, c.dtype);
    out.object([&] {
      for_each_change(c, [&](std::string_view name, const auto& value) {
        write_value(out.plain_key(name), value);
      });
    });
  }

  list<known> texts_;
};

/// One config on one line.
template <class Text>
class config_writer {
 public:
  constexpr config_writer(Text& out, dtype_texts& texts) : out_(out), texts_(texts) {}

  constexpr void config(const backend_pattern_config_record& c) {
    out_.object([&] {
      for_each_field(c, [&](std::string_view key, const auto& value) { field(key, value); });
    });
  }

 private:
  // Each field that is not omitted, by its type.

  constexpr void field(std::string_view, const pattern_record& p) { pattern(p); }
  constexpr void field(std::string_view key, observation_type t) {
    out_.plain_key(key).plain({}, name_of(t));
  }
  constexpr void field(std::string_view key, const view<dtype_config_record>& configs) {
    out_.plain_key(key).verbatim(texts_.of(configs));
  }
  constexpr void field(std::string_view key, op_id id) {
    if (id != nullptr) out_.plain_key(key).plain({}, id->name);
  }
  constexpr void field(std::string_view key, fuser_id f) {
    if (f != nullptr) out_.plain_key(key).plain({}, f->name);
  }
  constexpr void field(std::string_view key, const node_path& p) {
    if (!p.empty()) path(out_.plain_key(key), p);
  }
  constexpr void field(std::string_view key, const view<node_path>& paths) {
    if (paths.empty()) return;
    out_.plain_key(key).array([&] {
      for (const node_path& p : paths) path(out_, p);
    });
  }
  constexpr void field(std::string_view key, const tensor_args_record& by) {
    constexpr std::string_view counts[] = {"0", "1", "2", "3"};
    if (by == tensor_args_record{}) return;
    out_.plain_key(key).object([&] {
      for (std::size_t n = 0; n < by.given.size(); ++n)
        if (by.given[n]) out_.plain_key(counts[n]).plain({}, name_of(by.type[n]));
    });
  }
  constexpr void field(std::string_view key, const input_index_record& index) {
    if (index == input_index_record{}) return;
    out_.plain_key(key).object([&] {
      for_each_change(index, [&](std::string_view name, int i) { out_.plain_key(name).value(i); });
    });
  }
  constexpr void field(std::string_view key, observed o) {
    if (o != observed::unspecified) out_.plain_key(key).value(o == observed::yes);
  }
  constexpr void field(std::string_view key, const view<observer_record>& observer) {
    if (!observer.empty()) write_observer(out_.plain_key(key), observer[0]);
  }

  constexpr void op(op_id op) {
    out_.plain({}, op == nullptr ? std::string_view{"MatchAllNode"} : op->name);
  }

  constexpr void pattern(const pattern_record& p) {
    if (p.is_single() && p.anchor() != nullptr) {
      out_.plain_key("pattern");
      op(p.anchor());
    } else if (is_chain(p)) {
      out_.plain_key("pattern").array([&] {
        for (int i = p.element.size(); i-- > 0;) op(p.element[i].op);
      });
    } else {
      out_.plain_key("pattern_complex_format");
      tree(p, 0);
    }
  }

  constexpr int tree(const pattern_record& p, int at) {
    const pattern_element& e = p.element[at++];
    if (e.args == 0) {
      op(e.op);
      return at;
    }
    out_.array([&] {
      op(e.op);
      for (int a = 0; a < e.args; ++a) at = tree(p, at);
    });
    return at;
  }

  static constexpr void path(writer<Text>& out, const node_path& p) {
    out.array([&] {
      for (std::int8_t i = 0; i < p.length; ++i)
        out.value(static_cast<int>(p.index[static_cast<std::size_t>(i)]));
    });
  }

  writer<Text> out_;
  dtype_texts& texts_;
};

/// The user-defined ops of patterns and modules, without duplicates.
[[nodiscard]] constexpr list<op_id> user_ops(const backend_view& backend) {
  list<op_id> own;
  const auto add = [&own](op_id op) {
    if (op == nullptr || ops<builtin>::value.find(op->name) == op) return;
    for (const op_id known : own)
      if (known == op) return;
    own.push_back(op);
  };
  for (const backend_pattern_config_record& c : backend.configs) {
    for (const pattern_element& e : c.pattern.element) add(e.op);
    for (const op_id module :
         {c.root_module, c.qat_module, c.reference_quantized_module_for_root, c.fused_module})
      add(module);
  }
  return own;
}

/// Appends the canonical JSON of a backend.
template <class Text>
constexpr void append_json(Text& out, const backend_view& backend) {
  out.append("{\n  \"name\": ");
  append_string(out, backend.name);
  out.append(",\n");
  const list<op_id> own = user_ops(backend);
  constexpr std::string_view kinds[] = {"", "", "", "module", "function", "method", ""};
  for (std::size_t i = 0; i < own.size(); ++i)
    append_all(out, i == 0 ? "  \"ops\": [" : ", ", "{\"name\": \"", own[i]->name,
               "\", \"kind\": \"", kinds[static_cast<std::size_t>(own[i]->kind)],
               i + 1 == own.size() ? "\"}],\n" : "\"}");
  dtype_texts texts;
  out.append("  \"configs\": [");
  for (int i = 0; i < backend.configs.size(); ++i) {
    out.append(i == 0 ? "\n    " : ",\n    ");
    config_writer<Text>{out, texts}.config(backend.configs[i]);
  }
  out.append("\n  ]\n}\n");
}

}  // namespace ctq::json
