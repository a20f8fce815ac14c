// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/report.hpp"
#include "ctq/spec/finding.hpp"
#include "ctq/spec/name_regex.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "ctq/spec/validate_observer.hpp"

// Checks that a QConfigMapping is well-formed, as validate.hpp does for backends.

namespace ctq {

namespace rules {

/// What a qconfig with group_size lacks, which the kernel requires; empty: nothing.
constexpr std::string_view missing_per_group(const qconfig_record& q) {
  const observer_args& w = q.weight.args;
  const quant_range range = range_of(w);
  if (w.group_size < 1 || w.group_size > max_group_size) return "a group has 1 to 2^20 elements";
  if (q.weight.type != observer_class::per_channel_min_max ||
      q.weight.fake_quantize != fake_quantize_class::none)
    return "only a PerChannelMinMaxObserver takes group_size";
  if (w.dtype != qint8 || w.qscheme != qscheme::per_channel_symmetric || w.ch_axis != 0 ||
      range.min < int4_range.min || range.max > int4_range.max)
    return "per-group quantization needs qint8, per_channel_symmetric, ch_axis 0 and a range in -8 "
           "to 7";
  if (q.activation.type != observer_class::placeholder || !q.activation.args.is_dynamic ||
      q.activation.args.dtype != qint8)
    return "weights quantized per group need a dynamic qint8 activation";
  return {};
}

constexpr void group_size(findings& out, int entry, const qconfig_record& q) {
  std::string_view of = "weight";
  std::string_view missing;
  if (q.activation.args.group_size != 0 || q.output.args.group_size != 0) {
    of = q.output.args.group_size != 0 ? "output" : "activation";
    missing = "only weights are quantized per group";
  } else if (q.weight.args.group_size != 0) {
    missing = missing_per_group(q);
  }
  if (!missing.empty())
    out.error(rule::observer_group_size, {entry, -1, of, "group_size"}, missing);
}

/// Checks that an entry was made of types of the right kinds, and the order.
constexpr void entry(findings& out, int i, const mapping_entry& e) {
  const bool ordered = e.level == mapping_level::module_name_object_type_order;
  if (e.level == mapping_level::none)
    out.error(rule::wrong_type, {i, -1, {}, {}},
              "not an entry of a qconfig_mapping, such as global<...>, object_type<...> or "
              "module_name<...>");
  if (e.op == nullptr && (ordered || e.level == mapping_level::object_type))
    out.error(rule::wrong_type, {i, -1, name_of(e.level), {}}, "not an op, such as nn::linear");
  if (ordered && e.order < 0)
    out.error(rule::wrong_type, {i, -1, name_of(e.level), {}}, e.order,
              " is not the index of a node: from 0");
}

/// Whether the observers of a qconfig are observers.
constexpr bool observers_are_given(findings& out, int entry, const qconfig_record& q) {
  const bool no_activation = q.activation == not_an_observer;
  const bool no_weight = q.weight == not_an_observer;
  if (no_activation && no_weight) {
    out.error(rule::wrong_type, {entry, -1, "qconfig", {}},
              "not a qconfig<activation observer, weight observer>, and not qconfig_none");
    return false;
  }
  const std::string_view wrong = no_activation                 ? "activation"
                                 : no_weight                   ? "weight"
                                 : q.output == not_an_observer ? "output"
                                                               : "";
  if (!wrong.empty())
    out.error(rule::wrong_type, {entry, -1, wrong, {}},
              "not an observer, such as min_max_observer<> or placeholder_observer<>");
  return wrong.empty();
}

}  // namespace rules

/// Appends the findings of all entries.
constexpr void validate(const mapping_view& mapping, findings& out) {
  for (int i = 0; i < mapping.count && !out.full(); ++i) {
    const mapping_entry& e = mapping.entries[i];
    rules::entry(out, i, e);
    if (e.quantizes && rules::observers_are_given(out, i, e.qconfig)) {
      rules::observer(out, {i, -1, "activation", {}}, e.qconfig.activation);
      rules::observer(out, {i, -1, "weight", {}}, e.qconfig.weight);
      if (e.qconfig.output.type != observer_class::none)
        rules::observer(out, {i, -1, "output", {}}, e.qconfig.output);
      rules::group_size(out, i, e.qconfig);
    }
    if (e.level == mapping_level::module_name_regex && !name_regex{e.module}.valid())
      out.error(rule::regex_syntax, {i, -1, "module_name_regex", {}}, e.module,
                " is not a supported regular expression");
  }
}

[[nodiscard]] constexpr findings validate(const mapping_view& mapping) {
  findings found;
  validate(mapping, found);
  return found;
}

namespace rules {

/// The first error in a mapping defined by types, with its place as text.
constexpr diagnostic describe(const mapping_view& mapping) {
  diagnostic d;
  const findings found = validate(mapping);
  const finding* const f = found.first_error();
  if (f == nullptr) return d;
  const mapping_entry& e = mapping.entries[f->place.config];
  d.line("QConfigMapping entry: #", f->place.config, " of ", mapping.count, ", ", name_of(e.level));
  d.text.append("\n");
  append_finding(d.text, *f);
  return d;
}

}  // namespace rules

/// A mapping read from a file has a diagnostic with the position in the file.
template <class Mapping>
struct mapping_check {
  static constexpr diagnostic find() {
    if constexpr (requires { Mapping::problem; }) {
      return Mapping::problem;
    } else if constexpr (!mapping_parts::is_mapping<Mapping>) {
      return diagnostic{}
          .line("not a QConfigMapping, but given as one:")
          .line("it is a type derived from")
          .line("ctq::qconfig_mapping<...>, and comes")
          .line("after the model and the backend");
    } else {
      return rules::describe(mapping_v<Mapping>);
    }
  }
  static constexpr diagnostic found = find();
  static constexpr bool bad() { return found.any(); }
  static constexpr auto message() { return found.text; }
};

/// Derive from it to check a mapping.
template <class Mapping>
struct checked_mapping : report<mapping_check<Mapping>> {};

}  // namespace ctq
