// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <map>
#include <set>
#include <utility>

#include "ctq/passes/lower/integer_forms.hpp"
#include "reference_rows.hpp"

// The lowered model as rows. Integer functions are named when lowering makes them: sums and
// products first, then functions with a scale of their own, then packed weights.

namespace golden {
namespace {

using ctq::node;
using ctq::op_kind;
namespace q = ctq::q;

bool is_function(ctq::op_id op) { return op->name.starts_with("torch.ops.quantized."); }

bool is_functional(ctq::op_id op) {
  return is_function(op) && !is_any_of(op, q::add, q::add_relu, q::mul, q::mul_relu, q::matmul);
}

bool is_default_function(const node& n) {
  return n.op->kind == op_kind::function && is_quantized(n.dtype) &&
         n.op->descriptor->on_integers == ctq::on_integers::own_scale;
}

class lowered_printer {
 public:
  lowered_printer(ctq::graph_view<ctq::stage::lowered> g, reference_rows reference,
                  ctq::graph_view<ctq::stage::reference> reference_graph, const row_values& values)
      : g_(g), from_(std::move(reference)), reference_(reference_graph), values_(values) {
    names_.resize(static_cast<std::size_t>(g.size()));
    fold_weights();
    name_nodes();
  }

  json rows() {
    for (int i = 0; i < g_.size(); ++i)
      if (!folded_[static_cast<std::size_t>(i)]) print(i);
    return std::move(rows_);
  }

 private:
  std::string& name(int i) { return names_[static_cast<std::size_t>(i)]; }

  /// Weights of functions become attributes that are packed, with all that they were made of.
  void fold_weights() {
    folded_.assign(static_cast<std::size_t>(g_.size()), false);
    for (int i = g_.size() - 1; i >= 0; --i) {
      bool read = false;
      bool folded = true;
      for (int user = i + 1; user < g_.size(); ++user)
        for (int a = 0; a < g_[user].arg_count; ++a) {
          if (g_.args_of(user)[a] != i) continue;
          read = true;
          const bool packs = is_functional(g_[user].op) && a > 0;
          folded = folded && (packs || folded_[static_cast<std::size_t>(user)]);
        }
      folded_[static_cast<std::size_t>(i)] = read && folded;
    }
  }

  void name_nodes() {
    for (int i = 0; i < g_.size(); ++i) {
      const node& n = g_[i];
      name(i) = node_name(n);
      if (is_any_of(n.op, q::quantize_per_tensor, q::quantize_per_channel, q::to_float16,
                    q::quantize_per_tensor_dynamic, q::dequantize))
        name(i) = name_in_reference(n);
    }
    for (int i = 0; i < g_.size(); ++i)
      if (is_function(g_[i].op) && !is_functional(g_[i].op)) rename(i);
    for (int i = 0; i < g_.size(); ++i)
      if (is_default_function(g_[i])) rename(i);
  }

  /// A function on integers is a new node; the one in its place keeps its attributes.
  void rename(int i) {
    made_of_[i] = name(i);
    name(i) = from_.nodes.create(last_part(std::string(g_[i].op->name)));
  }

  std::string name_in_reference(const node& n) const {
    for (int i = 0; i < reference_.size(); ++i)
      if (reference_[i].op == n.op && reference_[i].number == n.number)
        return from_.names[static_cast<std::size_t>(i)];
    return node_name(n);
  }

  /// The attributes of the quantize behind a node, or behind the relu behind it.
  const reference_rows::attributes& attributes_behind(int i) const {
    const auto made = made_of_.find(i);
    const std::string was = made == made_of_.end() ? node_name(g_[i]) : made->second;
    auto found = from_.behind.find(was);
    if (found == from_.behind.end())
      for (int r = 0; r < reference_.size(); ++r)
        if (ctq::lowering::is_fusible_relu(reference_[r].op) && reference_[r].arg_count == 1 &&
            reference_.arg(r, 0).name == was)
          found = from_.behind.find(from_.names[static_cast<std::size_t>(r)]);
    if (found == from_.behind.end()) throw malformed("no quantize behind " + was);
    return found->second;
  }

  json print_attribute(const std::string& attribute) {
    rows_.push_back({{"name", attribute},
                     {"op", "get_attr"},
                     {"target", from_.attribute_targets.at(attribute)},
                     {"args", json::array()},
                     {"value", from_.attribute_values.at(attribute)}});
    return reference_to(attribute);
  }

  void print(int i) {
    const node& n = g_[i];
    if (is_function(n.op)) {
      is_functional(n.op) ? print_functional(i) : print_binary(i);
    } else if (is_any_of(n.op, q::quantize_per_tensor, q::quantize_per_channel, q::to_float16,
                         q::quantize_per_tensor_dynamic, q::dequantize)) {
      print_from_reference(i);
    } else if (n.op->kind == op_kind::pass) {
      print_module(i);
    } else if (is_default_function(n)) {
      print_default_function(i);
    } else {
      print_plain(i);
    }
  }

  void print_from_reference(int i) {
    for (const json& row : from_.rows) {
      if (row.at("name") != name(i)) continue;
      const json& args = row.at("args");
      for (std::size_t a = 1; a < args.size(); ++a)
        if (args[a].is_object()) print_attribute(args[a].at("n"));
      rows_.push_back(row);
      rows_.back()["args"][0] = reference_to(name(g_.args_of(i)[0]));
    }
  }

  void print_plain(int i) {
    const node& n = g_[i];
    json row = plain_row(n, name(i), names_read(g_, i, names_), values_);
    if (n.op->kind == op_kind::module) {
      const bool quantized =
          is_quantized(n.dtype) && (n.op->descriptor->on_integers == ctq::on_integers::own_scale ||
                                    is_any_of(n.op, ctq::nn::softmax));
      if (quantized)
        row["module"] = quantized_module(i, row["module"].at("type"));
      else
        describe_reference_module(n, values_, row["module"]);
    }
    rows_.push_back(std::move(row));
  }

  /// A module with a scale of its own: nnq.Hardswish.
  json quantized_module(int i, std::string type) {
    type = (type.starts_with("nni.") ? "nniq." : "nnq.") + last_part(type);
    json module{{"type", type}};
    if (type == "nnq.Dropout") return module;
    if (g_[i].weight != nullptr) module.update(values_.packed_weight(g_[i]));
    const auto& behind = attributes_behind(i);
    module["scale"] = from_.attribute_values.at(behind.scale);
    module["zero_point"] = from_.attribute_values.at(behind.zero_point);
    return module;
  }

  /// A module whose weight is packed.
  void print_module(int i) {
    const node& n = g_[i];
    const std::string type = short_name(std::string(n.op->name));
    json row{{"name", name(i)}, {"op", "call_module"}, {"target", std::string(path_of(n))}};
    add_arguments(row, n, names_read(g_, i, names_));
    json module{{"type", type}};
    const bool dynamic = type.starts_with("nnqd.") || type.starts_with("nniqd.");
    const bool recurrent = dynamic && last_part(type).find("Linear") == std::string::npos;
    if (!recurrent) module.update(values_.packed_weight(n));
    if (dynamic && !recurrent) {
      module["scale"] = 1.0;
      module["zero_point"] = 0;
    } else if (is_quantized(n.dtype)) {
      const auto& behind = attributes_of_module(i);
      module["scale"] = from_.attribute_values.at(behind.scale);
      module["zero_point"] = from_.attribute_values.at(behind.zero_point);
    }
    row["module"] = std::move(module);
    rows_.push_back(std::move(row));
  }

  /// A module that is called more than once has the scale of its last call.
  const reference_rows::attributes& attributes_of_module(int i) const {
    int last = i;
    for (int k = i; k < g_.size(); ++k)
      if (g_[k].op == g_[i].op && path_of(g_[k]) == path_of(g_[i]) && is_quantized(g_[k].dtype))
        last = k;
    return attributes_behind(last);
  }

  void print_binary(int i) {
    json row{{"name", name(i)}, {"op", "call_function"}, {"target", target_of(i)}};
    add_arguments(row, g_[i], names_read(g_, i, names_));
    if (g_[i].arg_count == 2) {
      const auto& behind = attributes_behind(i);
      row["args"].push_back(print_attribute(behind.scale));
      row["args"].push_back(print_attribute(behind.zero_point));
    }
    row.erase("kwargs");
    rows_.push_back(std::move(row));
  }

  void print_functional(int i) {
    const node& n = g_[i];
    const std::string scope(n.row == nullptr ? "" : n.row->scope);
    const std::string target = from_.model.create(scope + "_packed_weight_");
    const std::string packed = from_.nodes.create(target);
    rows_.push_back({{"name", packed},
                     {"op", "get_attr"},
                     {"target", target},
                     {"args", json::array()},
                     {"value_type", "ScriptObject"}});
    json args = json::array({reference_to(name(g_.args_of(i)[0])), reference_to(packed)});
    if (n.op->name.ends_with("_dynamic")) {
      if (n.observer_config == nullptr || n.observer_config->args.dtype != ctq::f16)
        args.push_back(values_.reduce_range);
    } else {
      const auto& behind = attributes_behind(i);
      args.push_back(print_attribute(behind.scale));
      args.push_back(print_attribute(behind.zero_point));
    }
    rows_.push_back({{"name", name(i)},
                     {"op", "call_function"},
                     {"target", target_of(i)},
                     {"args", std::move(args)}});
  }

  void print_default_function(int i) {
    json row{{"name", name(i)},
             {"op", "call_function"},
             {"target", "ops.quantized." + last_part(std::string(g_[i].op->name))}};
    add_arguments(row, g_[i], names_read(g_, i, names_));
    static const std::map<std::string, std::set<std::string>> skipped{
        {"hardswish", {"inplace"}},
        {"elu", {"inplace"}},
        {"dropout", {"inplace"}},
        {"instance_norm", {"running_mean", "running_var", "use_input_stats", "momentum"}}};
    const auto skip = skipped.find(last_part(row.at("target")));
    if (skip != skipped.end() && row.contains("kwargs"))
      for (const std::string& key : skip->second) row["kwargs"].erase(key);
    const auto& behind = attributes_behind(i);
    row["kwargs"]["output_scale"] = print_attribute(behind.scale);
    row["kwargs"]["output_zero_point"] = print_attribute(behind.zero_point);
    rows_.push_back(std::move(row));
  }

  std::string target_of(int i) const { return std::string(g_[i].op->name).substr(6); }

  ctq::graph_view<ctq::stage::lowered> g_;
  reference_rows from_;
  ctq::graph_view<ctq::stage::reference> reference_;
  const row_values& values_;
  std::vector<std::string> names_;
  std::vector<bool> folded_;
  std::map<int, std::string> made_of_;  // by node: the name of what it stands for
  json rows_ = json::array();
};

}  // namespace

json rows_of(ctq::graph_view<ctq::stage::lowered> g,
             ctq::graph_view<ctq::stage::reference> reference, const ctq::mapping_view& mapping,
             const row_values& values) {
  return lowered_printer(g, print_reference(reference, mapping, values), reference, values).rows();
}

}  // namespace golden
