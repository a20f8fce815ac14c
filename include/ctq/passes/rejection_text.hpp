// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/spec/backend_config.hpp"

// The reason why a node is left in float as text, for compile errors and tables.

namespace ctq {

/// Appends the lines that say why a node is left in float.
template <class Text>
constexpr void append_rejection(Text& out, const node& n, const backend_view& backend) {
  constexpr std::string_view values[] = {"input", "output", "weight", "bias"};
  const rejection& r = n.choice.why;
  const std::string_view of = values[static_cast<std::size_t>(r.of)];
  const auto asked = static_cast<long>(r.asked);
  const auto allowed = static_cast<long>(r.allowed);
  const bool of_config =
      r.why >= rejection::clause::dtype && r.why <= rejection::clause::exact_match;
  if (n.choice.pattern >= 0) {
    const backend_pattern_config_record& config = backend.configs[n.choice.pattern];
    out.append("\npattern: ");
    append_pattern(out, config.pattern);
    if (of_config)
      append_all(out, "\ndtype_config: #", r.dtype_config, " of ", config.dtype_configs.size());
  }
  out.append("\n");
  switch (r.why) {
    case rejection::clause::none: break;
    case rejection::clause::no_qconfig: out.append("qconfig: none"); break;
    case rejection::clause::no_pattern:
      append_all(out, "no pattern with a dtype config for\n", n.op->name);
      break;
    case rejection::clause::dtype:
      append_all(out, of, ".dtype: ", name_of(static_cast<dtype>(asked)),
                 "\nthe backend allows: ", name_of(static_cast<dtype>(allowed)));
      break;
    case rejection::clause::is_dynamic:
      append_all(out, "is_dynamic: ", asked, "\nthe backend allows: ", allowed);
      break;
    case rejection::clause::quant_min:
      append_all(out, of, ".quant_min: ", asked, "\nthe backend allows: >= ", allowed);
      break;
    case rejection::clause::quant_max:
      append_all(out, of, ".quant_max: ", asked, "\nthe backend allows: <= ", allowed);
      break;
    case rejection::clause::scale_min:
      append_all(out, of, ".eps: ");
      append_decimal(out, r.asked);
      out.append("\nthe backend allows scale_min: ");
      append_decimal(out, r.allowed);
      break;
    case rejection::clause::exact_match:
      append_all(out, of, ": ", r.asked > 0 ? "another scale or zero point" : "not a fixed scale",
                 "\nthe backend allows only\nscale ");
      append_decimal(out, r.allowed);
      out.append(", from\na fixed_qparams_observer");
      break;
    case rejection::clause::no_range:
      append_all(out, of, ": the observer has no quant_min\nand quant_max");
      break;
    case rejection::clause::pattern_part:
      out.append("another node of the pattern\nhas no qconfig that fits");
      break;
  }
}

}  // namespace ctq
