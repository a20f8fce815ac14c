// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "ctq/core/text_buffer.hpp"
#include "ctq/json/write_observer.hpp"
#include "ctq/json/write_op.hpp"
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
      pattern(c.pattern);
      out_.plain_key("observation_type").plain({}, name_of(c.observation_type));
      out_.plain_key("dtype_configs").verbatim(texts_.of(c.dtype_configs));
      module("root_module", c.root_module);
      module("qat_module", c.qat_module);
      module("reference_quantized_module_for_root", c.reference_quantized_module_for_root);
      module("fused_module", c.fused_module);
      if (c.fuser_method != nullptr) out_.plain_key("fuser_method").plain({}, c.fuser_method->name);
      rare(c);
    });
  }

 private:
  constexpr void op(op_id op) {
    if (op == nullptr) {
      out_.plain({}, "MatchAllNode");
    } else {
      write_op(out_, op);
    }
  }

  constexpr void module(std::string_view key, op_id id) {
    if (id == nullptr) return;
    out_.plain_key(key);
    op(id);
  }

  /// Rarely used keys.
  constexpr void rare(const backend_pattern_config_record& c) {
    if (!c.root_node_getter.empty()) path(out_.plain_key("root_node_getter"), c.root_node_getter);
    if (!c.extra_inputs_getter.empty())
      out_.plain_key("extra_inputs_getter").array([&] {
        for (const node_path& p : c.extra_inputs_getter) path(out_, p);
      });
    if (c.num_tensor_args_to_observation_type != tensor_args_record{})
      tensor_args(c.num_tensor_args_to_observation_type);
    if (c.input_type_to_index != input_index_record{})
      out_.plain_key("input_type_to_index").object([&] {
        for_each_change(c.input_type_to_index, [&](std::string_view name, int index) {
          out_.plain_key(name).value(index);
        });
      });
    if (c.input_output_observed != observed::unspecified)
      out_.plain_key("input_output_observed").value(c.input_output_observed == observed::yes);
    for (const observer_record& o : c.overwrite_output_observer)
      write_observer(out_.plain_key("overwrite_output_observer"), o);
    for (const observer_record& o : c.overwrite_output_fake_quantize)
      write_observer(out_.plain_key("overwrite_output_fake_quantize"), o);
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

  constexpr void tensor_args(const tensor_args_record& by) {
    constexpr std::string_view counts[] = {"0", "1", "2", "3"};
    out_.plain_key("num_tensor_args_to_observation_type").object([&] {
      for (std::size_t n = 0; n < by.given.size(); ++n)
        if (by.given[n]) out_.plain_key(counts[n]).plain({}, name_of(by.type[n]));
    });
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
  if (!own.empty()) {
    out.append("  \"ops\": ");
    writer<Text> declarations{out};
    write_declarations(declarations, own);
    out.append(",\n");
  }
  dtype_texts texts;
  out.append("  \"configs\": [");
  for (int i = 0; i < backend.configs.size(); ++i) {
    out.append(i == 0 ? "\n    " : ",\n    ");
    config_writer<Text>{out, texts}.config(backend.configs[i]);
  }
  out.append("\n  ]\n}\n");
}

}  // namespace ctq::json
