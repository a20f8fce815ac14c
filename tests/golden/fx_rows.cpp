// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fx_rows.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "ctq/spec/fused_parts.hpp"
#include "fx_printing.hpp"

namespace golden {
namespace {

using ctq::argument;
using ctq::node;
using ctq::op_kind;

std::string kind_name(const node& n) {
  switch (n.op->kind) {
    case op_kind::placeholder: return "placeholder";
    case op_kind::get_attr: return "get_attr";
    case op_kind::module: return "call_module";
    case op_kind::function: return "call_function";
    case op_kind::method: return "call_method";
    case op_kind::output: return "output";
    case op_kind::pass: break;
  }
  return "pass";
}

/// Arguments as they stand in the call, with the names of the nodes that are read now.
class call_printer {
 public:
  call_printer(const node& n, std::vector<std::string> reads) : n_(n), reads_(std::move(reads)) {}

  void print_into(json& row) {
    json args = json::array();
    json kwargs = json::object();
    if (n_.row != nullptr) {
      while (at_ < n_.row->args.size()) {
        const std::string keyword(n_.row->args[at_].keyword);
        json value = print();
        if (keyword.empty())
          args.push_back(std::move(value));
        else
          kwargs[keyword] = std::move(value);
      }
    }
    // What fusion has appended stands behind the rest.
    while (next_ < reads_.size()) args.push_back(reference_to(reads_[next_++]));
    row["args"] = std::move(args);
    if (!kwargs.empty()) row["kwargs"] = std::move(kwargs);
  }

 private:
  json print() {
    const argument& a = n_.row->args[at_++];
    switch (a.is) {
      case argument::kind::node: return reference_to(reads_.at(next_++));
      case argument::kind::none: return nullptr;
      case argument::kind::boolean: return a.integer != 0;
      case argument::kind::integer: return a.integer;
      case argument::kind::real: return a.real;
      case argument::kind::text: return std::string(a.text);
      case argument::kind::ellipsis: return {{"e", "..."}};
      case argument::kind::list:
      case argument::kind::slice:
      case argument::kind::dict: break;
    }
    json all = a.is == argument::kind::dict ? json::object() : json::array();
    for (std::int64_t i = 0; i < a.integer; ++i) {
      const std::string key(n_.row->args[at_].keyword);
      if (all.is_array())
        all.push_back(print());
      else
        all[key] = print();
    }
    if (a.is == argument::kind::slice) return {{"s", all}};
    return all.is_array() ? all : json{{"d", all}};
  }

  const node& n_;
  std::vector<std::string> reads_;
  int at_ = 0;
  std::size_t next_ = 0;
};

json type_only(const std::string& type) { return {{"type", type}}; }

/// The modules that a fused one consists of, the first as described.
json children_of(const node& n, json first) {
  json children = json::array();
  children.push_back(std::move(first));
  for (int i = 1; i < 3; ++i)
    if (const ctq::op_id part = n.op->descriptor->fused_of[i])
      children.push_back(type_only(short_name(std::string(part->name))));
  return children;
}

/// Modules in training have their batch norm and the fake quantize of their weight inside.
json children_in_training(const node& n) {
  json children = json::array();
  if (!n.batch_norm.empty()) {
    const std::string type(n.op->name);
    children.push_back(type_only("nn.BatchNorm" + type.substr(type.size() - 2, 1) + "d"));
  }
  if (n.weight != nullptr) children.push_back(description_of(*n.weight));
  return children;
}

json module_of(const node& n) {
  const std::string type = short_name(std::string(n.op->name));
  json module = type_only(type);
  if (const ctq::op_id first = ctq::first_part_of(n.op))
    module["children"] = children_of(n, type_only(short_name(std::string(first->name))));
  if (type == "ConvAddReLU") module["children"] = json::array({type_only("nn.Conv2d")});
  if (type.starts_with("nniqat.")) module["children"] = children_in_training(n);
  return module;
}

std::string target_of(const node& n, const std::string& name) {
  if (n.op->kind == op_kind::output) return "output";
  if (n.op->kind == op_kind::function || n.op->kind == op_kind::method)
    return short_name(std::string(n.op->name));
  const std::string path(path_of(n));
  return path.empty() ? name : path;
}

template <ctq::stage Stage>
json rows_with_own_names(ctq::graph_view<Stage> g, const row_values& values) {
  std::vector<std::string> names;
  std::map<int, int> instances;  // observers in the order of their appearance
  json rows = json::array();
  for (int i = 0; i < g.size(); ++i) {
    names.push_back(node_name(g[i]));
    if (is_any_of(g[i].op, ctq::q::activation_post_process)) {
      const int id = instances.emplace(g[i].observer, instances.size()).first->second;
      rows.push_back({{"name", names.back()},
                      {"op", "call_module"},
                      {"target", names.back()},
                      {"args", {reference_to(names_read(g, i, names).at(0))}},
                      {"module", description_of(*g[i].observer_config)},
                      {"obs_id", id}});
    } else {
      rows.push_back(plain_row(g[i], names.back(), names_read(g, i, names), values));
    }
  }
  return rows;
}

/// What kernels of an engine do not show of a packed weight is not compared.
void drop_hidden_weight(const json& wanted, json& got) {
  if (!wanted.contains("module") || !got.contains("module")) return;
  json& module = got["module"];
  if (!wanted.at("module").contains("q_weight"))
    for (const char* key : {"q_weight", "q_weight_scale", "q_weight_scales", "q_weight_zero_point",
                            "q_weight_zero_points"})
      module.erase(key);
}

/// Tensors become the list of their numbers, one number alone that number; what is no number stays.
json plain_numbers(const suite_file& file, const json& j) {
  const bool is_tensor = j.is_object() && j.size() == 1 && j.contains("t");
  if (!is_tensor && !j.is_object() && !j.is_array()) return j;
  json out = is_tensor ? json(file.read(j).values) : j;
  if (!is_tensor)
    for (json& item : out) item = plain_numbers(file, item);
  return out;
}

/// The same row in one spelling: a scale of one element is a number, getattr has no module.
json spelled_alike(json row) {
  if (row.at("target") == "getattr") row["target"] = "builtins.getattr";
  if (row.contains("module"))
    for (json& item : row["module"])
      if (item.is_array() && item.size() == 1 && item[0].is_number()) item = item[0];
  return row;
}

std::string shown(const json& j) {
  const std::string text = j.dump();
  return text.size() > 400 ? text.substr(0, 400) + "…" : text;
}

}  // namespace

json plain_row(const node& n, const std::string& name, std::vector<std::string> reads,
               const row_values& values) {
  json row{{"name", name}, {"op", kind_name(n)}, {"target", target_of(n, name)}};
  add_arguments(row, n, std::move(reads));
  if (n.op->kind == op_kind::module) row["module"] = module_of(n);
  if (n.op->kind == op_kind::get_attr) row["value"] = values.tensor(std::string(path_of(n)));
  return row;
}

void add_arguments(json& row, const node& n, std::vector<std::string> reads) {
  call_printer(n, std::move(reads)).print_into(row);
}

void describe_reference_module(const node& n, const row_values& values, json& module) {
  if (n.weight == nullptr) return;
  json weight = values.reference_weight(n);
  const ctq::op_id first = ctq::first_part_of(n.op);
  const bool own = first == nullptr && module.contains("children");
  std::string type = module.at("type");
  if (first != nullptr) type = short_name(std::string(first->name));
  if (own) type = module.at("children")[0].at("type");
  weight["type"] = "nnqr." + type.substr(type.find('.') + 1);
  if (first != nullptr || own)
    module["children"][0] = weight;
  else
    module = weight;
}

std::string short_name(const std::string& qualified) {
  // The longer first where one begins like another.
  static const std::array<std::pair<std::string, std::string>, 11> prefixes{
      {{"torch.nn.functional.", "F."},
       {"torch.nn.", "nn."},
       {"torch.ao.nn.intrinsic.qat.", "nniqat."},
       {"torch.ao.nn.intrinsic.quantized.dynamic.", "nniqd."},
       {"torch.ao.nn.intrinsic.quantized.", "nniq."},
       {"torch.ao.nn.intrinsic.", "nni."},
       {"torch.ao.nn.qat.", "nnqat."},
       {"torch.ao.nn.quantized.reference.", "nnqr."},
       {"torch.ao.nn.quantized.dynamic.", "nnqd."},
       {"torch.ao.nn.quantized.", "nnq."},
       {"_operator.", "operator."}}};
  for (const auto& [from, to] : prefixes)
    if (qualified.starts_with(from)) return to + qualified.substr(from.size());
  return qualified;
}

json description_of(const ctq::observer_record& r) {
  const bool fake = r.fake_quantize != ctq::fake_quantize_class::none;
  const bool fixed = r.type == ctq::observer_class::fixed_qparams;
  const std::string inner = "aq." + std::string(name_of(r.type));
  const ctq::observer_args& a = r.args;
  json d{{"type", fake ? "aq." + std::string(name_of(r.fake_quantize)) : inner},
         {"dtype", std::string(name_of(a.dtype))}};
  if (r.type == ctq::observer_class::placeholder) {
    if (a.is_dynamic) d["compute_dtype"] = d["dtype"];
    return d;
  }
  const ctq::quant_range range = range_of(a);
  d["qscheme"] = std::string(name_of(a.qscheme));
  d["quant_min"] = range.min;
  d["quant_max"] = range.max;
  if (fake) d["inner_observer"] = inner;
  if (fixed) return d;
  d["reduce_range"] = a.reduce_range;
  d["eps"] = static_cast<double>(a.eps);
  if (is_per_channel(r.type)) d["ch_axis"] = a.ch_axis;
  return d;
}

json rows_of(ctq::graph_view<ctq::stage::traced> g, const row_values& values) {
  return rows_with_own_names(g, values);
}
json rows_of(ctq::graph_view<ctq::stage::fused> g, const row_values& values) {
  return rows_with_own_names(g, values);
}
json rows_of(ctq::graph_view<ctq::stage::prepared> g, const row_values& values) {
  return rows_with_own_names(g, values);
}
std::string difference_of_rows(const suite_file& file, const json& wanted, const json& got,
                               bool ordered) {
  const auto sorted = [ordered](json rows) {
    if (!ordered)
      std::sort(rows.begin(), rows.end(), [](const json& a, const json& b) {
        return a.at("name").get<std::string>() < b.at("name").get<std::string>();
      });
    return rows;
  };
  const json want_all = sorted(plain_numbers(file, wanted));
  json got_all = sorted(got);
  for (std::size_t i = 0; i < std::max(want_all.size(), got_all.size()); ++i) {
    if (i >= want_all.size()) return "row " + shown(got_all[i]) + " too many";
    if (i >= got_all.size()) return "no row " + shown(want_all[i]);
    drop_hidden_weight(want_all[i], got_all[i]);
    if (spelled_alike(want_all[i]) != spelled_alike(got_all[i]))
      return "row is " + shown(got_all[i]) + ", not " + shown(want_all[i]);
  }
  return {};
}

}  // namespace golden
