// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cpp_names.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/graph/model.hpp"
#include "index_nodes.hpp"
#include "respelled_calls.hpp"
#include "size_values.hpp"

namespace tool {

namespace {

using ctq::argument;
using ctq::op_kind;
using kind = ctq::argument::kind;

/// Makes one row after the other from what is known of the nodes before.
class importer {
 public:
  importer(const ctq::fx_graph& model, const user_op_names& user_ops)
      : model_(model), user_ops_(user_ops), g_(model.view()), indices_(nodes_of_indices(g_)) {
    for (int i = 0; i < g_.size(); ++i)
      if (g_[i].op->kind == op_kind::module) first_call_.emplace(path_of(g_[i]), i);
    for (int i = 0; i < g_.size(); ++i)
      if (g_[i].op->kind == op_kind::get_attr) attributes_.emplace(path_of(g_[i]));
    std::unordered_map<std::string_view, int> calls;
    known_.resize(static_cast<std::size_t>(g_.size()));
    for (int i = 0; i < g_.size(); ++i)
      facts_of(i).name =
          name_of(i, g_[i].op->kind == op_kind::module ? ++calls[path_of(g_[i])] : 1);
  }

  /// All rows; if there is a problem(), those before the first one without an equivalent in C++.
  [[nodiscard]] std::vector<model_row> rows() {
    std::vector<model_row> all;
    std::unordered_map<std::string_view, int> earlier;  // by name: the node
    std::vector<int> row_of(known_.size(), -1);
    for (int i = 0; i < g_.size(); ++i) {
      resolve(i);
      node_facts& known = facts_of(i);
      known.value = size_value_of(g_[i].op, known.call.args, shape_read_by(i));
      if (known.value || is_unused_item(i)) continue;
      respell(known.call,
              {[this](int n) { return facts_of(n).shape ? &*facts_of(n).shape : nullptr; },
               [this](int n) { return facts_of(n).call.op; },
               [this](int n) { return facts_of(n).holds == ctq::number_kind::integer; }});
      model_row r{
          .name = name(i), .call = {}, .op = known.call.op, .reads = known.call.reads, .node = i};
      std::string problem = complete(i, r);
      if (problem.empty()) problem = problem_of_dtype(i, r);
      if (const int by = changer_of_input(i); by >= 0)
        problem = fmt::format(
            "reads what {} has changed; in C++ no op changes its input, read what it gives",
            name(by));
      const auto [same, is_new] = earlier.emplace(name(i), i);
      if (!is_new && r.op->kind == op_kind::get_attr && g_[same->second].op == r.op) {
        known = facts_of(same->second);  // one attribute is one node
        row_of[static_cast<std::size_t>(i)] = row_of[static_cast<std::size_t>(same->second)];
        continue;
      }
      if (!is_new) problem = "has the name of another node";
      // Linking says so of the op, which may be why shapes are unknown here.
      if (!problem.empty() && has_unknown_op_) break;
      if (!problem.empty()) {
        problem_ = {i, fmt::format("node {}: {}", r.name, problem)};
        break;
      }
      infer(i, r);
      has_unknown_op_ = has_unknown_op_ || (r.call.ends_with("()") && lacks_shape_rule(r.op));
      if (changes_input(i) && !r.reads.empty()) facts_of(r.reads[0]).changed_by = i;
      if (r.op->kind == op_kind::output)
        select_items(r, all, row_of);
      else
        for (int& read : r.reads) read = row_of[static_cast<std::size_t>(read)];
      row_of[static_cast<std::size_t>(i)] = static_cast<int>(all.size());
      all.push_back(std::move(r));
    }
    return all;
  }

  /// The arguments of a node, with numbers in the place of nodes that compute with shapes.
  [[nodiscard]] const std::vector<argument>& arguments_of_node(int i) const {
    return known_[static_cast<std::size_t>(i)].call.args;
  }

  [[nodiscard]] const node_problem& problem() const { return problem_; }

 private:
  /// What is found of a node.
  struct node_facts {
    std::string name;
    std::optional<size_value> value;  // of one that gives no tensor but numbers
    traced_call call;                 // as C++ has it; reads nodes that give tensors
    ctq::attributes attrs{};
    std::optional<ctq::shape> shape;
    ctq::number_kind holds{};
    int changed_by = -1;  // the node that writes over its output
  };

  [[nodiscard]] node_facts& facts_of(int i) { return known_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const std::string& name(int i) const {
    return known_[static_cast<std::size_t>(i)].name;
  }

  /// Numbers take the place of nodes that compute them.
  void resolve(int i) {
    node_facts& known = facts_of(i);
    traced_call& call = known.call;
    call.op = g_[i].op;
    int next = 0;
    for (const argument& a : g_[i].row->args) {
      const int from = a.is == kind::node ? g_.args_of(i)[next++] : -1;
      if (from >= 0 && facts_of(from).value) {
        const auto value = tool::arguments_of(*facts_of(from).value, a.keyword);
        call.args.insert(call.args.end(), value.begin(), value.end());
        continue;
      }
      call.args.push_back(a);
      if (from >= 0) call.reads.push_back(from);
    }
  }

  /// The shape of the only tensor that a node reads.
  [[nodiscard]] const ctq::shape* shape_read_by(int i) {
    const std::vector<int>& reads = facts_of(i).call.reads;
    return reads.size() == 1 && facts_of(reads[0]).shape ? &*facts_of(reads[0]).shape : nullptr;
  }

  /// Of `values, _ = x.max(1)` torch.fx keeps the indices that nothing reads.
  [[nodiscard]] bool is_unused_item(int i) const {
    return users_[i] == 0 && ctq::is_any_of(g_[i].op, ctq::op::getitem);
  }

  /// A node that has changed what another one reads, or -1.
  [[nodiscard]] int changer_of_input(int i) {
    for (const int a : facts_of(i).call.reads)
      if (facts_of(a).changed_by >= 0) return facts_of(a).changed_by;
    return -1;
  }

  /// Finds the shape of the output, if those of the inputs are known: the compiler infers that of a
  /// user-defined op. What is wrong is said when the rows are linked.
  void infer(int i, const model_row& r) {
    facts_of(i).holds = kind_of(i, r);
    std::vector<ctq::shape> in;
    for (const int a : r.reads) {
      if (!facts_of(a).shape) return;
      in.push_back(*facts_of(a).shape);
    }
    if (r.call.starts_with("::") || r.op->kind == op_kind::output) return;
    ctq::node n{.name = r.name, .op = r.op, .attrs = r.attrs, .shape = r.shape};
    ctq::diagnostic wrong;
    if (in.size() == 1 && facts_of(r.reads[0]).call.op->descriptor->tuple_item != nullptr)
      ctq::shape_rules::infer_item(n, sequence(r.reads[0]), wrong);
    else
      ctq::shape_rules::infer(n, {in.data(), static_cast<int>(in.size())}, wrong);
    facts_of(i).attrs = n.attrs;
    if (!wrong.any()) facts_of(i).shape = n.shape;
  }

  /// torch.cumsum(ids, 1, dtype=torch.float32): in ctq the inputs alone decide.
  [[nodiscard]] std::string problem_of_dtype(int i, const model_row& r) {
    for (const argument& a : facts_of(i).call.args) {
      if (a.keyword != "dtype" || a.is != kind::text) continue;
      const bool of_integers = a.text.starts_with("int") || a.text == "long";
      if (of_integers != (kind_of(i, r) == ctq::number_kind::integer))
        return fmt::format("calls {}, which has no dtype = {} in ctq; x.{}() before it is the same",
                           r.op->name, a.text, of_integers ? "long" : "float");
    }
    return {};
  }

  [[nodiscard]] ctq::number_kind kind_of(int i, const model_row& r) {
    const auto integer_if = [](bool is) {
      return is ? ctq::number_kind::integer : ctq::number_kind::real;
    };
    if (r.op->kind == op_kind::placeholder)
      return integer_if(indices_[static_cast<std::size_t>(i)]);
    if (r.op->kind == op_kind::get_attr) return integer_if(is_index(g_[i].dtype));
    const bool is_tuple = r.op->descriptor->tuple_item != nullptr;
    if (r.op->descriptor->returns_indices && !is_tuple) return ctq::number_kind::integer;
    const ctq::node n{.op = r.op, .attrs = r.attrs, .arg_count = static_cast<int>(r.reads.size())};
    if (n.arg_count == 1 && facts_of(r.reads[0]).call.op->descriptor->tuple_item != nullptr &&
        ctq::shape_rules::selects_indices(n, {.op = facts_of(r.reads[0]).call.op}))
      return ctq::number_kind::integer;
    return kind_of_result(
        n, [&](int a) { return facts_of(r.reads[static_cast<std::size_t>(a)]).holds; });
  }

  /// A node that gives a tuple of tensors.
  [[nodiscard]] ctq::node sequence(int i) {
    const node_facts& known = facts_of(i);
    return {.name = known.name, .op = known.call.op, .attrs = known.attrs, .shape = *known.shape};
  }

  /// A module or an attribute by its path, under which its weights are found, with the number of
  /// the call if it is called again; a function in its module. A module without weights that is
  /// called again gets a name inside the first, so that entries of a QConfigMapping for its path
  /// also match it. Functions and inputs with the name of a module or of an attribute are renamed,
  /// since ctq has one namespace for nodes, torch.fx two.
  [[nodiscard]] std::string name_of(int i, int call) const {
    const ctq::node& n = g_[i];
    if (n.op->kind == op_kind::module && call > 1)
      return has_parameters(n.op) ? fmt::format("{}#{}", path_of(n), call)
                                  : fmt::format("{}.{}", path_of(n), n.name);
    if (n.op->kind == op_kind::module) return std::string{path_of(n)};
    if (n.op->kind == op_kind::get_attr) return std::string{path_of(n)};
    const std::string_view scope = n.row->scope;
    const bool is_call = n.op->kind == op_kind::function || n.op->kind == op_kind::method;
    const auto is_taken = [this](const std::string& name) {
      return first_call_.contains(name) || attributes_.contains(name);
    };
    std::string name =
        scope.empty() || !is_call ? std::string{n.name} : fmt::format("{}.{}", scope, n.name);
    return is_taken(name) ? name + (is_call ? "_call" : "_input") : name;
  }

  static bool lacks_shape_rule(ctq::op_id op) { return op->descriptor->infer_shape == nullptr; }

  static bool has_parameters(ctq::op_id op) {
    return op->descriptor->parameters != nullptr || is_any_of(op, ctq::nni::bn_relu2d);
  }

  /// Whether PyTorch writes the output over the first argument: relu_, or inplace=True.
  [[nodiscard]] bool changes_input(int i) const {
    if (g_[i].op->descriptor->changes_input) return true;
    if (g_[i].row == nullptr || g_[i].op->descriptor->is_identity) return false;
    const auto is_asked = [](const ctq::view<argument>& all) {
      for (const argument& a : all)
        if (a.keyword == "inplace" && a.is == kind::boolean && a.integer != 0) return true;
      return false;
    };
    return is_asked(model_.options_of(i)) || is_asked(g_[i].row->args);
  }

  /// Sets the call; returns the reason if there is none.
  std::string complete(int i, model_row& r) {
    switch (g_[i].op->kind) {
      case op_kind::placeholder: return given_shape(i, r, "placeholder", "[1, 3, 224, 224]");
      case op_kind::output: return output(i, r);
      case op_kind::get_attr: return given_shape(i, r, "get_attr", "[197, 768]");
      default: return call(i, r);
    }
  }

  std::string call(int i, model_row& r) {
    model_call written{.op = r.op,
                       .args = view_of_arguments(i),
                       .options = model_.options_of(i),
                       .in = shape_read_by(i)};
    for (std::size_t a = 0; a < r.reads.size(); ++a) {
      const int from = r.reads[a];
      written.reads.push_back(name(from));
      if (a == 0) written.of_integers = facts_of(from).holds == ctq::number_kind::integer;
      if (a > 0 && g_[from].op->kind != op_kind::get_attr && written.computed_parameter.empty())
        written.computed_parameter = name(from);
    }
    cpp_call in_cpp = write_call(written, user_ops_);
    r.call = std::move(in_cpp.code);
    r.attrs = in_cpp.attrs;
    return std::move(in_cpp.problem);
  }

  std::string given_shape(int i, model_row& r, std::string_view builder,
                          std::string_view example) const {
    if (!model_.shape_of(i))
      return fmt::format(
          "has no shape, or more than {} axes; the row of {} needs one: \"shape\": {}",
          ctq::max_rank, r.op->kind == op_kind::get_attr ? "an attribute" : "an input", example);
    r.shape = *model_.shape_of(i);
    const bool indices = r.op->kind == op_kind::placeholder ? indices_[static_cast<std::size_t>(i)]
                                                            : is_index(g_[i].dtype);
    const ctq::dtype type = indices ? ctq::i64 : ctq::f32;
    r.attrs = ctq::attributes{ctq::given_tensor{r.shape, static_cast<int>(type)}};
    std::string extents;
    for (int axis = 0; axis < r.shape.rank; ++axis)
      extents += fmt::format("{}{}", axis > 0 ? ", " : "", cpp_number(r.shape[axis]));
    r.call = fmt::format("nn::{}({{{}}}{})", builder, extents, indices ? ", ctq::i64" : "");
    return {};
  }

  /// Tuples that the model returns, as torch.max(x, 1) gives one: a row for each tensor of them.
  void select_items(model_row& r, std::vector<model_row>& all, const std::vector<int>& row_of) {
    const bool by_name = view_of_arguments(r.node)[0].is == kind::dict;
    std::vector<int> returned;
    for (const int a : r.reads) {
      const int whole = row_of[static_cast<std::size_t>(a)];
      const int items = by_name ? 0 : count_items(a);
      const bool of_lstm = is_any_of(facts_of(a).call.op, ctq::nn::lstm);
      for (int item = 0; item < items; ++item) {
        const int selected = add_item(all, r.node, whole, item);
        if (of_lstm && item == 1)  // (h, c)
          for (const int state : {0, 1}) returned.push_back(add_item(all, r.node, selected, state));
        else
          returned.push_back(selected);
      }
      if (items == 0) returned.push_back(whole);
    }
    r.reads = std::move(returned);
    std::vector<std::string_view> names;
    for (const int row : r.reads) names.push_back(all[static_cast<std::size_t>(row)].name);
    r.call = fmt::format("nn::output({})", listed(names));
  }

  /// How many tensors a tuple has; 0: the node gives a tensor. The state of an LSTM is two.
  int count_items(int i) {
    const node_facts& known = facts_of(i);
    if (!known.shape) return 0;
    if (is_any_of(known.call.op, ctq::op::getitem) && known.call.reads.size() == 1) {
      const int item = ctq::shape_rules::item_index({.op = known.call.op, .attrs = known.attrs});
      const bool of_lstm = is_any_of(facts_of(known.call.reads[0]).call.op, ctq::nn::lstm);
      return of_lstm && (item == 1 || item == -1) ? 2 : 0;
    }
    if (known.call.op->descriptor->tuple_item == nullptr) return 0;
    const ctq::node tuple = sequence(i);
    const ctq::strided_view whole = contiguous_view(tuple.shape, ctq::layout::nchw);
    int count = 0;
    while (tuple.op->descriptor->tuple_item(tuple.attrs, whole, count).shape.rank > 0) ++count;
    return count;
  }

  /// Adds a row, x[item]; returns its number.
  static int add_item(std::vector<model_row>& all, int node, int x, int item) {
    const std::string& of = all[static_cast<std::size_t>(x)].name;
    std::string name = fmt::format("{}_{}", of, item);
    while (std::ranges::any_of(all, [&](const model_row& r) { return r.name == name; }))
      name += '_';
    all.push_back(
        {.name = std::move(name),
         .call = fmt::format("op::getitem({}_n, {{.index = {{{}}}}})", cpp_string(of), item),
         .op = ctq::op::getitem.id(),
         .attrs = ctq::attributes{ctq::getitem_options{.index = {item}}},
         .reads = {x},
         .node = node,
         .added_item = item});
    return static_cast<int>(all.size()) - 1;
  }

  [[nodiscard]] ctq::view<argument> view_of_arguments(int i) const {
    const std::vector<argument>& all = arguments_of_node(i);
    return {all.data(), static_cast<int>(all.size())};
  }

  /// Tensors, in tuples and dicts that may be in others, and None; models in C++ give one tuple of
  /// the tensors.
  std::string output(int i, const model_row& r) const {
    std::size_t tensors = 0;
    for (const argument& a : view_of_arguments(i)) {
      if (a.is == kind::node)
        ++tensors;
      else if (a.is != kind::none && ((a.is != kind::list && a.is != kind::dict) || a.integer == 0))
        tensors = r.reads.size() + 1;
    }
    if (tensors == r.reads.size() && tensors > 0) return {};
    return "gives other things than tensors; models in C++ give tensors, in tuples and dicts, "
           "ctq::evaluator all";
  }

  const ctq::fx_graph& model_;
  const user_op_names& user_ops_;
  ctq::graph_view<ctq::stage::traced> g_;
  std::vector<bool> indices_;                             // by node: nodes_of_indices
  ctq::list<int> users_ = ctq::count_users(g_);           // by node
  std::unordered_map<std::string_view, int> first_call_;  // by the path of the module
  std::unordered_set<std::string_view> attributes_;       // paths of those that the graph reads
  std::vector<node_facts> known_;                         // by node
  bool has_unknown_op_ = false;                           // that compiled models do not have
  node_problem problem_;
};

}  // namespace

model_rows rows_of(const ctq::fx_graph& model, const user_op_names& user_ops) {
  importer read(model, user_ops);
  model_rows all{.rows = read.rows()};
  all.problem = read.problem();
  for (int i = 0; i < model.view().size(); ++i) all.arguments.push_back(read.arguments_of_node(i));
  return all;
}

}  // namespace tool
