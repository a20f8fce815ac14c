// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/passes/explain/explained.hpp"
#include "ctq/passes/rejection_text.hpp"
#include "ctq/spec/qconfig_text.hpp"

// The texts of explanations, for all output formats.

namespace ctq::explaining {

/// "Conv2d" of "torch.ao.nn.quantized.Conv2d".
[[nodiscard]] constexpr std::string_view short_name(op_id op) {
  const std::size_t dot = op->name.rfind('.');
  return dot == std::string_view::npos ? op->name : op->name.substr(dot + 1);
}

/// "quint8/quint8/qint8/float32": input, output, weight, bias; "-" if not given.
template <class Text>
constexpr void dtype_config(Text& out, const dtype_config_record& d) {
  const auto name = [](dtype type) {
    return type == dtype::none ? std::string_view{"-"} : name_of(type);
  };
  append_all(out, name(d.input_dtype.dtype), "/", name(d.output_dtype.dtype), "/",
             name(d.weight_dtype.dtype), "/", name(d.bias_dtype), d.is_dynamic ? " dynamic" : "");
}

/// "input.dtype: quint8, the backend allows: qint8", of one dtype config.
template <class Text>
constexpr void clause(Text& out, const rejection& r, const explained_node& n,
                      const backend_view& backend) {
  node asked{.name = n.name, .op = n.op};
  asked.choice.why = r;
  static_text<300> lines;  // the first one is empty
  append_rejection(lines, asked, backend);
  for (const char letter : lines.view().substr(1))
    out.append(letter == '\n' ? std::string_view{", "} : std::string_view{&letter, 1});
}

/// Why a node is not quantized: in general, not for each dtype config.
template <class Text>
constexpr void float_reason(Text& out, const explained_node& n, const backend_view& backend) {
  const choice& c = n.choice;
  if (c.why.why == rejection::clause::no_qconfig) {
    out.append("left in float by ");
    if (c.qconfig < 0) return out.append("a mapping without an entry for it"), void();
    return append_all(out, "qconfig #", c.qconfig);
  }
  if (c.pattern >= 0) {
    out.append("pattern: ");
    append_pattern(out, backend.configs[c.pattern].pattern);
    append_all(out, ", qconfig #", c.qconfig, ", ");
    const int tried = backend.configs[c.pattern].dtype_configs.size();
    if (!n.rejected.empty())
      append_all(out, "dtype_config: #", c.why.dtype_config, " of ", tried, ", ");
  }
  clause(out, c.why, n, backend);
}

/// The chosen pattern and dtype config of a node, or why it is float.
template <class Text>
constexpr void reason(Text& out, const explained_node& n, const backend_view& backend) {
  const choice& c = n.choice;
  if (!n.is_read) return out.append("nothing reads it"), void();
  if (n.runs_in != n.name) return append_all(out, "part of ", n.runs_in);
  if (!c.quantized()) return float_reason(out, n, backend);
  if (!n.on_integers) {
    if (!n.is_observed) return out.append("the backend observes nothing of it"), void();
    return append_all(out, "no integer kernel for ", n.runs_as->name);
  }
  if (c.pattern >= 0) {
    append_pattern(out, backend.configs[c.pattern].pattern);
    append_all(out, " dtype_config #", c.dtype_config, ", ");
  }
  append_all(out, "qconfig #", c.qconfig);
  if (n.observer >= 0) append_all(out, ", qparams #", n.observer);
  if (!n.fused_into.empty()) append_all(out, ", fused into ", n.fused_into);
}

/// The values that share an observer: "x, conv1".
template <class Text>
constexpr void values(Text& out, const explained_observer& o) {
  for (std::size_t i = 0; i < o.values.size(); ++i) append_all(out, i > 0 ? ", " : "", o.values[i]);
}

/// Whether to print the reason for each rejected dtype config in addition to that of the node.
[[nodiscard]] constexpr bool tells_each(const explained_node& n) {
  return n.is_read && n.runs_in == n.name && n.rejected.size() > (n.choice.quantized() ? 0U : 1U);
}

/// A text in quotes, for JSON and DOT.
template <class Text>
constexpr void quoted(Text& out, std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  out.append("\"");
  for (const char& c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') out.append("\\");
    if (code >= 0x20) {
      out.append({&c, 1});
    } else {
      out.append("\\u00");
      out.append(digits.substr(code >> 4, 1));
      out.append(digits.substr(code & 15, 1));
    }
  }
  out.append("\"");
}

}  // namespace ctq::explaining
