// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <string>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/spec/quant_type.hpp"
#include "qconfig_records.hpp"
#include "suites.hpp"

// The qconfigs that PyTorch has names for, and its defaults for each backend, after training and in
// training. ctq has to have the same, argument by argument.

namespace golden {
namespace {

using ctq::qconfig_record;

std::string difference(const std::string& what, const qconfig_record& wanted,
                       const qconfig_record& got) {
  if (wanted == got) return {};
  return what + " is " + to_words(got) + ", not " + to_words(wanted) + "; ";
}

std::string check_default(const json& wanted, const std::string& backend, bool is_qat,
                          ctq::semantics s, int version) {
  if (!ctq::has_default_qconfig(backend, is_qat, s, version)) return "ctq has no default";
  return difference("the qconfig", qconfig_from(wanted).value(),
                    is_qat ? ctq::default_qat_qconfig_record(ctq::find_engine(backend), version)
                           : ctq::default_qconfig_record(ctq::find_engine(backend)));
}

/// {"global": qconfig, "object_type": [[op, qconfig], ...]}, in order.
std::string check_mapping(const json& wanted, const std::string& backend, bool is_qat,
                          ctq::semantics s) {
  const auto entries = ctq::default_qconfig_mapping_entries(backend, is_qat, s);
  if (entries.empty()) return "ctq has no default";
  std::string why =
      difference("global", qconfig_from(wanted.at("global")).value(), entries[0].qconfig);
  const json& types = wanted.at("object_type");
  if (types.size() + 1 != entries.size())
    why +=
        std::to_string(entries.size() - 1) + " entries, not " + std::to_string(types.size()) + "; ";
  for (std::size_t i = 0; i < types.size() && i + 1 < entries.size(); ++i) {
    const auto name = types[i].at(0).get<std::string>();
    if (entries[i + 1].op != op_from(name))
      return why + "entry " + std::to_string(i) + " is for " +
             std::string{entries[i + 1].op->name} + ", not " + name;
    why += difference(name, qconfig_from(types[i].at(1)).value(), entries[i + 1].qconfig);
  }
  return why;
}

/// An observer's dtype in PyTorch's words, null where it has none.
json dtype_of(const ctq::observer_record& o, bool wanted) {
  return wanted ? json(std::string{name_of(o.args.dtype)}) : json{};
}

/// [activation, weight, activation's compute dtype], as get_qconfig_dtypes gives them.
json dtype_names_of(const qconfig_record& q) {
  return {dtype_of(q.activation, true), dtype_of(q.weight, true),
          dtype_of(q.activation, q.activation.args.is_dynamic)};
}

std::string upper_case(std::string_view name) {
  std::string out{name.substr(0, name.find_last_not_of('_') + 1)};
  for (char& letter : out)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  return out;
}

/// The record, its dtypes, and its quant_type; an error is that there is no quant_type.
std::string check_named(const json& wanted, const std::string& name, ctq::semantics s) {
  qconfig_record q;
  if (!find_qconfig(name, s, q)) return "ctq has no such qconfig";
  std::string why = difference("it", qconfig_from(wanted).value(), q);
  if (wanted.contains("dtypes") && dtype_names_of(q) != wanted.at("dtypes"))
    why += "the dtypes are " + dtype_names_of(q).dump() + "; ";
  const ctq::quant_type type = quant_type_of(q, s);
  if (wanted.contains("quant_type") && json(upper_case(name_of(type))) != wanted.at("quant_type"))
    why += "the quant_type is " + std::string{name_of(type)};
  if (wanted.contains("error") && type != ctq::quant_type::unknown)
    why += "PyTorch knows no quant_type, ctq " + std::string{name_of(type)};
  return why;
}

// The rules by which another release answers otherwise; empty where none says so.

std::string backend_rule(const std::string& backend, ctq::semantics s) {
  return ctq::find_engine(backend) == nullptr && !unknown_backend_gets_default_qconfig(s)
             ? "unknown_backend_has_no_default"
             : "";
}

std::string mapping_rule(const std::string& backend, ctq::semantics s) {
  if (const std::string rule = backend_rule(backend, s); !rule.empty()) return rule;
  return default_mapping_lists_fusible_ops(s) ? "" : "default_mapping_lists_prelu_not_fusible_ops";
}

std::string named_rule(const json& wanted, ctq::semantics s) {
  const ctq::observer_args activation = qconfig_from(wanted).value().activation.args;
  if (!activation.is_dynamic) return {};
  if (activation.dtype == ctq::f16)
    return dynamic_float16_counts_as_static(s) ? "" : "dynamic_float16_is_dynamic";
  return dynamic_quant_observer_has_range(s) ? "dynamic_quant_observer_has_range" : "";
}

/// check(semantics) says what is wrong. With a rule it is known, if PyTorch 1.13's answer is the
/// file's.
template <class Check>
outcome judge(ctq::semantics s, const std::string& rule, Check check) {
  std::string why = check(s);
  if (!why.empty() && !rule.empty() && check(ctq::semantics::torch_1_13).empty())
    return outcome::known(rule);
  return outcome::of(std::move(why));
}

/// check(case, its name) for each member of an object of the file, if it has that object.
template <class Check>
void run_members(const json& doc, const std::string& list, report& report, Check check) {
  const auto members = doc.find(list);
  if (members == doc.end() || !members->is_object()) return;
  for (const auto& [name, value] : members->items()) {
    const std::string what = list + " " + name;
    try {
      report.add(what, check(value, name));
    } catch (const std::exception& e) {
      report.add(what, {outcome::kind::failed, e.what()});
    }
  }
}

}  // namespace

void run_qconfigs(const suite_file& file, ctq::semantics s, report& report) {
  const json& doc = file.doc();
  using text = const std::string&;
  run_members(doc, "ptq", report, [s](const json& wanted, text backend) {
    return judge(s, backend_rule(backend, s),
                 [&](ctq::semantics as) { return check_default(wanted, backend, false, as, 0); });
  });
  run_members(doc, "qat", report, [s](const json& wanted, text backend) {
    return judge(s, backend_rule(backend, s), [&](ctq::semantics as) {
      return check_default(wanted.at("v0"), backend, true, as, 0) +
             check_default(wanted.at("v1"), backend, true, as, 1);
    });
  });
  for (const bool is_qat : {false, true})
    run_members(doc, is_qat ? "qat_mapping" : "ptq_mapping", report,
                [s, is_qat](const json& wanted, text backend) {
                  return judge(s, mapping_rule(backend, s), [&](ctq::semantics as) {
                    return check_mapping(wanted, backend, is_qat, as);
                  });
                });
  run_members(doc, "named", report, [s](const json& wanted, text name) {
    return judge(s, named_rule(wanted, s),
                 [&](ctq::semantics as) { return check_named(wanted, name, as); });
  });
}

}  // namespace golden
