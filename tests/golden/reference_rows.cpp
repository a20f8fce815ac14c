// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>
#include <map>
#include <utility>

#include "ctq/passes/resolve_qconfig.hpp"
#include "reference_rows.hpp"

// The reference model as rows. Names come about as in PyTorch: those of quantize nodes and of
// attributes in the order of the observers, before what is not read is removed.

namespace golden {
namespace {

using ctq::node;
using ctq::op_kind;
namespace q = ctq::q;

class reference_printer {
 public:
  reference_printer(ctq::graph_view<ctq::stage::reference> g, const ctq::mapping_view& mapping,
                    const row_values& values)
      : g_(g), mapping_(mapping), values_(values), of_attributes_(resolve_qconfigs(g, mapping)) {
    for (int i = 0; i < g.size(); ++i)
      if (g[i].op->kind != op_kind::pass) out_.nodes.use(node_name(g[i]));
  }

  reference_rows print() {
    const std::vector<bool> needed = needed_nodes();
    for (int i = 0; i < g_.size(); ++i) {
      const bool shown = needed[static_cast<std::size_t>(i)];
      if (g_[i].op->kind == op_kind::pass)
        print_pass(i, shown);
      else
        print_node(i, shown);
    }
    return std::move(out_);
  }

 private:
  /// By node: is the output made of it, or is it an input?
  std::vector<bool> needed_nodes() const {
    std::vector<bool> needed(static_cast<std::size_t>(g_.size()), false);
    for (int i = g_.size() - 1; i >= 0; --i) {
      const op_kind kind = g_[i].op->kind;
      if (kind == op_kind::output || kind == op_kind::placeholder)
        needed[static_cast<std::size_t>(i)] = true;
      if (!needed[static_cast<std::size_t>(i)]) continue;
      for (const int a : g_.args_of(i)) needed[static_cast<std::size_t>(a)] = true;
    }
    return needed;
  }

  void print_node(int i, bool shown) {
    const node& n = g_[i];
    out_.names.push_back(node_name(n));
    if (!shown) return;
    json row = plain_row(n, out_.names.back(), names_read(g_, i, out_.names), values_);
    if (n.op->kind == op_kind::module) describe_reference_module(n, values_, row["module"]);
    out_.rows.push_back(std::move(row));
  }

  /// What is not shown uses up its names all the same.
  void print_pass(int i, bool shown) {
    const node& n = g_[i];
    const std::size_t rows_before = out_.rows.size();
    const std::string from = out_.names[static_cast<std::size_t>(g_.args_of(i)[0])];
    json args = json::array({reference_to(from)});
    std::string kind = "call_function";
    const std::string target(n.op->name);
    const std::string dtype(name_of(n.dtype));
    if (is_any_of(n.op, q::dequantize)) {
      kind = "call_method";
    } else if (is_any_of(n.op, q::to_float16)) {
      kind = "call_method";
      args.push_back("float16");
    } else if (is_any_of(n.op, q::quantize_per_tensor_dynamic)) {
      args.push_back(dtype);
      args.push_back(values_.reduce_range);
    } else {
      json qparams = shown ? values_.qparams(n.observer) : json{};
      const std::string prefix = prefix_of(i);
      const std::string scale = attribute(prefix + "_scale_", qparams["scale"]);
      const std::string zero_point = attribute(prefix + "_zero_point_", qparams["zero_point"]);
      if (shown) out_.behind[from] = {scale, zero_point};
      args.push_back(reference_to(scale));
      args.push_back(reference_to(zero_point));
      if (is_any_of(n.op, q::quantize_per_channel)) args.push_back(n.observer_config->args.ch_axis);
      args.push_back(dtype);
    }
    out_.names.push_back(name_of_pass(i, last_part(target)));
    out_.rows.push_back(
        {{"name", out_.names.back()}, {"op", kind}, {"target", target}, {"args", std::move(args)}});
    if (!shown)
      out_.rows.erase(out_.rows.begin() + static_cast<std::ptrdiff_t>(rows_before),
                      out_.rows.end());
  }

  /// A quantize gets its dequantize at once, even if that is taken away again.
  std::string name_of_pass(int i, const std::string& wanted) {
    const node& n = g_[i];
    const int from = g_.args_of(i)[0];
    if (is_any_of(n.op, q::dequantize) && dequantize_of_.contains(from))
      return dequantize_of_[from];
    std::string name = out_.nodes.create(wanted);
    if (!is_any_of(n.op, q::dequantize)) dequantize_of_[i] = out_.nodes.create("dequantize");
    return name;
  }

  /// Appends the row of a new attribute; its name.
  std::string attribute(const std::string& prefix, const json& value) {
    const std::string target = out_.model.create(prefix);
    const std::string name = out_.nodes.create(target);
    out_.rows.push_back({{"name", name},
                         {"op", "get_attr"},
                         {"target", target},
                         {"args", json::array()},
                         {"value", value}});
    out_.attribute_values[name] = value;
    out_.attribute_targets[name] = target;
    return name;
  }

  /// The module that a value belongs to: where it comes from if that has a qconfig, else where it
  /// is first read, by a linear function if there is one. What convert has dequantized belongs to
  /// none.
  std::string prefix_of(int i) const {
    const int producer = g_.args_of(i)[0];
    if (g_[producer].op->kind == op_kind::pass) return {};
    if (has_qconfig(producer)) return path(producer);
    const std::vector<int> users = users_of(i);
    for (const int user : users)
      if (is_any_of(g_[user].op, ctq::fn::linear)) return path(user) + "_input";
    return (users.empty() ? "" : path(users[0])) + "_input";
  }

  /// The nodes that read what the quantize at i gives, as torch.fx lists them: convert replaces one
  /// observer after the other, which puts the readers of each behind all others.
  std::vector<int> users_of(int i) const {
    std::vector<std::pair<int, int>> users;  // the last quantize before i that it reads, or -1
    for (int user = i + 1; user < g_.size(); ++user) {
      int last = -1;
      bool reads = false;
      for (const int a : g_.args_of(user)) {
        reads = reads || (is_read_of(a, i) && !is_any_of(g_[user].op, q::dequantize));
        const int from = is_any_of(g_[a].op, q::dequantize) ? g_.args_of(a)[0] : a;
        if (from < i && is_any_of(g_[from].op, q::quantize_per_tensor)) last = std::max(last, from);
      }
      if (reads) users.emplace_back(last, user);
    }
    std::ranges::sort(users);
    std::vector<int> nodes(users.size());
    std::ranges::transform(users, nodes.begin(), [](const auto& u) { return u.second; });
    return nodes;
  }

  /// Is it the quantize itself, or the dequantize behind it?
  bool is_read_of(int a, int quantize) const {
    return a == quantize || (is_any_of(g_[a].op, q::dequantize) && g_.args_of(a)[0] == quantize);
  }

  bool has_qconfig(int i) const {
    if (g_[i].op->kind == op_kind::placeholder) return false;
    if (values_.left_in_float && values_.left_in_float(g_[i])) return false;
    const bool is_attribute = g_[i].op->kind == op_kind::get_attr;
    const int at = is_attribute ? of_attributes_[i] : g_[i].choice.qconfig;
    return at >= 0 && mapping_.entries[at].quantizes;
  }

  std::string path(int i) const {
    const node& n = g_[i];
    if (n.op->kind == op_kind::module) return std::string(path_of(n));
    return n.row == nullptr ? std::string() : std::string(n.row->scope);
  }

  ctq::graph_view<ctq::stage::reference> g_;
  ctq::mapping_view mapping_;
  const row_values& values_;
  ctq::list<int> of_attributes_;              // by node: its entry of the mapping
  std::map<int, std::string> dequantize_of_;  // by quantize
  reference_rows out_;
};

}  // namespace

reference_rows print_reference(ctq::graph_view<ctq::stage::reference> g,
                               const ctq::mapping_view& mapping, const row_values& values) {
  return reference_printer(g, mapping, values).print();
}

json rows_of(ctq::graph_view<ctq::stage::reference> g, const ctq::mapping_view& mapping,
             const row_values& values) {
  return print_reference(g, mapping, values).rows;
}

}  // namespace golden
