// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/json/write_observer.hpp"
#include "ctq/json/write_op.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// QConfigMappings as JSON, in the form that read_mapping.hpp describes, one line per entry. Entries
// keep their order within a level; the order between levels has no meaning.

namespace ctq::json {

namespace mapping_parts {

template <class Text>
constexpr void write_qconfig(writer<Text>& out, const mapping_entry& e) {
  if (!e.quantizes) {
    out.null();
    return;
  }
  out.object([&] {
    write_observer(out.plain_key("activation"), e.qconfig.activation);
    write_observer(out.plain_key("weight"), e.qconfig.weight);
    if (e.qconfig.output.type != observer_class::none)
      write_observer(out.plain_key("output"), e.qconfig.output);
  });
}

/// One entry of a level with keys: ["torch.nn.Linear", QCONFIG].
template <class Text>
constexpr void write_entry(writer<Text>& out, const mapping_entry& e) {
  out.array([&] {
    if (e.level != mapping_level::object_type) out.value(e.module);
    if (e.op != nullptr) write_op(out, e.op);
    if (e.level == mapping_level::module_name_object_type_order) out.value(e.order);
    write_qconfig(out, e);
  });
}

}  // namespace mapping_parts

/// Appends the canonical JSON of a mapping.
template <class Text>
constexpr void append_json(Text& out, const mapping_view& mapping) {
  const mapping_entry* global = nullptr;  // the last one, which overrides earlier ones
  for (int i = 0; i < mapping.count; ++i)
    if (mapping.entries[i].level == mapping_level::global) global = &mapping.entries[i];
  bool any = global != nullptr;
  out.append(any ? "{\n  \"\": " : "{");
  if (global != nullptr) {
    writer<Text> value{out};
    mapping_parts::write_qconfig(value, *global);
  }
  for (int l = static_cast<int>(mapping_level::object_type);
       l <= static_cast<int>(mapping_level::module_name_object_type_order); ++l) {
    const auto level = static_cast<mapping_level>(l);
    bool first = true;
    for (int i = 0; i < mapping.count; ++i) {
      const mapping_entry& e = mapping.entries[i];
      if (e.level != level) continue;
      if (first) append_all(out, any ? ",\n  \"" : "\n  \"", name_of(level), "\": [");
      any = true;
      out.append(first ? "\n    " : ",\n    ");
      writer<Text> entry{out};
      mapping_parts::write_entry(entry, e);
      first = false;
    }
    if (!first) out.append("\n  ]");
  }
  out.append(any ? "\n}\n" : "}\n");
}

}  // namespace ctq::json
