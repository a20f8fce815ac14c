// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/json/read_observer.hpp"
#include "ctq/json/reader.hpp"
#include "ctq/spec/qconfig_mapping.hpp"

// QConfigMappings in JSON, in the form of PyTorch's to_dict:
//   {"": QCONFIG, "object_type": [["torch.nn.Linear", QCONFIG], ...],
//    "module_name_regex": [["layer1.*", QCONFIG], ...], "module_name": [["fc", QCONFIG], ...],
//    "module_name_object_type_order": [["layer1", "torch.nn.Linear", 0, QCONFIG], ...]}
// where a QCONFIG is {"activation": OBSERVER, "weight": OBSERVER}, or null for float. An optional
// "output": OBSERVER quantizes outputs differently from inputs. The schema is
// qconfig_mapping.schema.json.

namespace ctq::json {

/// A limit on the number of entries.
inline constexpr int max_entries = 2048;

class mapping_reader {
 public:
  constexpr mapping_reader(element root, const op_table& ops, findings& out)
      : out_(out), read_(ops, out) {
    if (!read_.expect(root, kind::object)) return;
    bool seen[static_cast<int>(mapping_level::module_name_object_type_order) + 1]{};
    for (const auto [key, value] : root.members()) {
      const mapping_level level = level_of(key);
      if (key.is("$schema")) {
        continue;
      } else if (level == mapping_level::none) {
        nearest near{key.name()};
        for (const std::string_view k : keys) near.offer(k);
        read_.unknown(rule::unknown_key, key, "level of a QConfigMapping", near);
      } else if (seen[static_cast<int>(level)]) {
        read_.error(rule::duplicate_key, key, key.text(), " is duplicated");
      } else if (level == mapping_level::global) {
        entry(value, value, {.level = level});
      } else if (read_.expect(value, kind::array)) {
        for (const element e : value.elements()) row(e, level);
      }
      seen[static_cast<int>(level)] = true;
    }
  }

  list<mapping_entry> entries{};
  list<int> at{};  // by entry: its offset in the text

 private:
  static constexpr std::string_view keys[] = {"object_type", "module_name_regex", "module_name",
                                              "module_name_object_type_order"};

  static constexpr mapping_level level_of(element key) {
    if (key.is("")) return mapping_level::global;
    for (int i = 0; i < 4; ++i)
      if (key.is(keys[i]))
        return static_cast<mapping_level>(static_cast<int>(mapping_level::object_type) + i);
    return mapping_level::none;
  }

  /// [KEY, QCONFIG], or [MODULE, OP, INDEX, QCONFIG].
  constexpr void row(element e, mapping_level level) {
    if (out_.full() || !read_.expect(e, kind::array)) return;
    if (static_cast<int>(entries.size()) == max_entries)
      return read_.error(rule::too_many, e, "more than 2048 entries");
    const bool ordered = level == mapping_level::module_name_object_type_order;
    if (e.size() != (ordered ? 4U : 2U))
      return read_.error(rule::wrong_type, e, "expected ", ordered ? 4 : 2, " values, not ",
                         e.size());
    mapping_entry m{.level = level};
    element part = e.first();
    if (level == mapping_level::object_type) {
      read_.read(part, m.op);
    } else if (read_.expect(part, kind::string)) {
      m.module = part.name();
    }
    if (ordered) {
      part = part.next();
      read_.read(part, m.op);
      part = part.next();
      read_.read(part, m.order);
    }
    entry(e, part.next(), m);
  }

  constexpr void entry(element where, element qconfig, mapping_entry m) {
    at.push_back(static_cast<int>(where.at()));
    if (qconfig.type() != kind::null) read_qconfig(qconfig, m);
    entries.push_back(m);
  }

  constexpr void read_qconfig(element e, mapping_entry& m) {
    if (!read_.expect(e, kind::object)) return;
    m.quantizes = true;
    constexpr std::string_view names[] = {"activation", "weight", "output"};
    observer_record* const records[] = {&m.qconfig.activation, &m.qconfig.weight,
                                        &m.qconfig.output};
    bool seen[3]{};
    for (const auto [key, value] : e.members()) {
      int which = 0;
      while (which < 3 && !key.is(names[which])) ++which;
      if (which == 3) {
        read_.error(rule::unknown_key, key, key.text(),
                    " is not a known key here: activation, weight, output");
      } else if (seen[which]) {
        read_.error(rule::duplicate_key, key, key.text(), " is duplicated");
      } else {
        seen[which] = true;
        read_observer(read_, value, *records[which]);
      }
    }
    if (!seen[0]) read_.error(rule::missing_key, e, "activation is missing");
    if (!seen[1]) read_.error(rule::missing_key, e, "weight is missing");
  }

  findings& out_;
  reader read_;
};

/// The offset of a place in a mapping: that of the field of the entry's qconfig, given the entry's
/// offset.
[[nodiscard]] constexpr int locate_entry(element root, int entry_at, const spec_place& place) {
  for (const auto [key, value] : root.members()) {
    const auto field_of = [&place](element qconfig) {
      if (qconfig.type() != kind::object) return qconfig;
      const element field = qconfig.find(place.field);
      if (!field) return qconfig;
      const element part = field.find(place.part);
      return part ? part : field;
    };
    if (static_cast<int>(value.at()) == entry_at) return static_cast<int>(field_of(value).at());
    if (value.type() != kind::array) continue;
    for (const element e : value.elements()) {
      if (static_cast<int>(e.at()) != entry_at || e.type() != kind::array) continue;
      element last = e.first();
      for (std::uint32_t i = 1; i < e.size(); ++i) last = last.next();
      return static_cast<int>(
          (place.field == "module_name_regex" ? e.first() : field_of(last)).at());
    }
  }
  return entry_at;
}

}  // namespace ctq::json
