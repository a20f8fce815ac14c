// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "import_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cpp_names.hpp"
#include "ctq/graph/integers.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/json/position.hpp"
#include "import_options.hpp"
#include "parameter_arguments.hpp"
#include "respelled_calls.hpp"
#include "size_values.hpp"

namespace tool {

namespace {

using ctq::argument;
using ctq::op_kind;
using kind = ctq::argument::kind;

/// The column of calls, if the names are not longer.
constexpr std::size_t longest_aligned = 60;

/// A node in C++.
struct model_row {
  std::string name;
  std::string call;  // nn::conv2d("x"_n, {.out_channels = 6})
  ctq::op_id op{};
  ctq::attributes attrs{};
  ctq::shape shape{};      // of a placeholder or a get_attr
  std::vector<int> reads;  // rows
  int node{};
  int added_item = -1;  // of a tuple that the model returns, which no node selects
};

/// An error at the row of a node: "net.json:12:3", "node relu: …".
ctq::unexpected failed_at(std::string_view file, std::string_view text, std::uint32_t offset,
                          std::string cause) {
  std::string place;
  ctq::json::append_position(place, file, ctq::json::position_at(text.data(), text.size(), offset));
  return ctq::fail(std::move(place), std::move(cause));
}

/// The error and its node; empty: none.
struct node_problem {
  int node = 0;
  std::string words;
};

const user_op_names no_user_ops;

class importer {
 public:
  explicit importer(const ctq::fx_graph& model, const user_op_names& user_ops = no_user_ops)
      : model_(model), user_ops_(user_ops), g_(model.view()), indices_(read_as_indices(g_)) {
    for (int i = 0; i < g_.size(); ++i)
      if (g_[i].op->kind == op_kind::module) first_call_.emplace(path_of(g_[i]), i);
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
  /// also match it. Functions and inputs with the name of a module are renamed, since ctq has one
  /// namespace for nodes, torch.fx two.
  [[nodiscard]] std::string name_of(int i, int call) const {
    const ctq::node& n = g_[i];
    if (n.op->kind == op_kind::module && call > 1)
      return has_parameters(n.op) ? fmt::format("{}#{}", path_of(n), call)
                                  : fmt::format("{}.{}", path_of(n), n.name);
    if (n.op->kind == op_kind::module) return std::string{path_of(n)};
    if (n.op->kind == op_kind::get_attr) return std::string{path_of(n)};
    const std::string_view scope = n.row->scope;
    const bool is_call = n.op->kind == op_kind::function || n.op->kind == op_kind::method;
    if (!is_call) return std::string{n.name} + (first_call_.contains(n.name) ? "_input" : "");
    std::string name = scope.empty() ? std::string{n.name} : fmt::format("{}.{}", scope, n.name);
    return first_call_.contains(name) ? name + "_call" : name;
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

  std::string given_shape(int i, model_row& r, std::string_view builder,
                          std::string_view example) const {
    if (!model_.shape_of(i))
      return fmt::format(
          "has no shape, or more than {} axes; the row of {} needs one: \"shape\": {}",
          ctq::max_rank, r.op->kind == op_kind::get_attr ? "an attribute" : "an input", example);
    r.shape = *model_.shape_of(i);
    // A number that is a parameter has one element, and broadcasts as such.
    if (r.op->kind == op_kind::get_attr && r.shape.rank == 0) r.shape = {1};
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

  /// x.topk(2)[1], which are no elements of x.
  [[nodiscard]] static bool selects_places(const ctq::graph_view<ctq::stage::traced>& g, int i) {
    if (!is_any_of(g[i].op, ctq::op::getitem) || !g.arg(i, 0).op->descriptor->returns_indices)
      return false;
    const ctq::view<argument> all = g[i].row->args;
    return all.size() == 2 && all[1].is == kind::integer &&
           (all[1].integer == 1 || all[1].integer == -1);
  }

  /// By node: whether it gives indices, as what is computed from it is read as such, or its row
  /// says.
  [[nodiscard]] static std::vector<bool> read_as_indices(
      const ctq::graph_view<ctq::stage::traced>& g) {
    std::vector<bool> indices(static_cast<std::size_t>(g.size()));
    for (int reader = g.size(); reader-- > 0;) {
      const ctq::op_id op = g[reader].op;
      if (op->kind == op_kind::placeholder && is_index(g[reader].dtype))
        indices[static_cast<std::size_t>(reader)] = true;
      // What has no shape rule gives sizes: x.shape is an index, but x is none. Nor is x of
      // x.long() and x.argmax().
      const bool is_tuple = op->descriptor->tuple_item != nullptr;
      const bool passes_on = indices[static_cast<std::size_t>(reader)] &&
                             keeps_integers(*op->descriptor) && !lacks_shape_rule(op) &&
                             (is_tuple || !op->descriptor->returns_indices) &&
                             !selects_places(g, reader);
      const bool looks_up = is_any_of(op, ctq::op::getitem) || !name_of_indices(op).empty();
      for (int a = 0; a < g[reader].arg_count; ++a)
        if ((passes_on && decides(gives_integers_if(*op->descriptor), a)) ||
            a < op->descriptor->index_inputs || (a > 0 && looks_up))
          indices[static_cast<std::size_t>(g.args_of(reader)[a])] = true;
    }
    return indices;
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
    r.call = fmt::format("nn::output({})", listed(r.reads, [&](int row) {
                           return all[static_cast<std::size_t>(row)].name;
                         }));
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

  std::string call(int i, model_row& r) {
    std::string builder{builder_of(r.op)};
    const auto user = user_ops_.find(r.op->name);
    const bool is_user = builder.empty() && user != user_ops_.end();
    if (is_user) builder = "::" + user->second;
    if (builder.empty())
      return fmt::format("calls {}, which ctq has no op for; {}", r.op->name,
                         r.op->name.find("nn.Transformer") != std::string_view::npos
                             ? "tools/export_fx.py writes its nn.TransformerEncoderLayer and "
                               "nn.TransformerDecoderLayer, if they are not classes of your own"
                             : "write it as an op of your own, --user-op, or with other ops");
    // That compiled models do not have it is said when they are linked, whatever its options are.
    if (!is_user && lacks_shape_rule(r.op)) {
      r.call = builder + "()";
      return {};
    }
    if (!is_user && r.op->descriptor->weight_position > 0) return weighted_call(i, r, builder);
    if (has_named_arguments(r.op)) return module_call(i, r, builder);
    const bool is_module = r.op->kind == op_kind::module;
    const ctq::view<argument> all = view_of_arguments(i);
    if (is_any_of(r.op, ctq::fn::einsum) && all.size() > 0 && all[0].is == kind::text)
      return fmt::format(
          "calls {}, which has an equation of two tensors, without repeated letters, in ctq",
          r.op->name);
    if (is_any_of(r.op, ctq::op::getitem) && r.reads.size() > 1)
      return fmt::format(
          "calls {}, which has one tensor of integers as an index in ctq, or two of adjacent axes, "
          "beside whole axes; tools/export_fx.py writes other indices with these; the shape of "
          "what a mask selects is not known",
          r.op->name);
    if (has_number(all, r)) return number_call(builder, all, r);
    int tensors = 0;  // arguments that come before the options
    int at = 0;
    bool list = false;
    while (at < all.size() && is_tensor(all, at)) {
      list = list || (at == 0 && all[at].is == kind::list);  // not the states of an LSTM
      at += all[at].is == kind::list ? static_cast<int>(all[at].integer) + 1 : 1;
      ++tensors;
    }
    std::vector<argument> of_module;
    if (is_module) {
      for (int k = at; k < all.size(); ++k)
        if (all[k].is != kind::none)
          return fmt::format(
              "calls {} with {}, which models in C++ have no place for; tools/export_fx.py writes "
              "output_size as output_padding",
              r.op->name,
              all[k].keyword.empty() ? "an argument beside its tensors" : all[k].keyword);
      of_module.assign(model_.options_of(i).begin(), model_.options_of(i).end());
      if (shape_read_by(i) != nullptr) settle_output_size(of_module, *shape_read_by(i));
    }
    const ctq::view<argument> literals =
        is_module ? ctq::view<argument>{of_module.data(), static_cast<int>(of_module.size())}
                  : ctq::view<argument>{all.items + at, all.count - at};
    // Options are counted from 1, however many tensors come before them.
    const imported_options options =
        is_user ? import_user_options(literals)
                : import_options(r.op, literals, is_module || tensors > 0 ? 1 : 0);
    if (!options.problem.empty())
      return fmt::format("calls {}, which {} in ctq", r.op->name, options.problem);
    r.attrs = options.attrs;
    r.call = fmt::format("{}({}{}{}{}{})", builder, list ? "{" : "", names_of(r.reads),
                         list ? "}" : "", options.code.empty() ? "" : ", ", options.code);
    return {};
  }

  /// Sets the call of a function whose parameters are arguments: F.linear(x, weight, bias).
  std::string weighted_call(int i, model_row& r, const std::string& builder) {
    const named_arguments given = name_arguments(r.op, view_of_arguments(i));
    if (!given.problem.empty())
      return fmt::format("calls {}, which {} in ctq", r.op->name, given.problem);
    for (std::size_t a = 1; a < r.reads.size(); ++a)
      if (g_[r.reads[a]].op->kind != op_kind::get_attr)
        return fmt::format(
            "calls {}, whose weight and bias are parameters or buffers in ctq, not what {} "
            "computes",
            r.op->name, name(r.reads[a]));
    return named_call(r, builder, given.literals);
  }

  /// Sets the call of a module that has options of the constructor and of the call.
  std::string module_call(int i, model_row& r, const std::string& builder) {
    named_arguments given = name_arguments(r.op, view_of_arguments(i));
    if (!given.problem.empty())
      return fmt::format("calls {}, which {} in ctq", r.op->name, given.problem);
    const ctq::view<argument> of_module = model_.options_of(i);
    given.literals.insert(given.literals.begin(), of_module.begin(), of_module.end());
    return named_call(r, builder, given.literals);
  }

  /// Sets a call with these options, which have names.
  std::string named_call(model_row& r, const std::string& builder,
                         const std::vector<argument>& literals) const {
    const imported_options options =
        import_options(r.op, {literals.data(), static_cast<int>(literals.size())}, 1);
    if (!options.problem.empty())
      return fmt::format("calls {}, which {} in ctq", r.op->name, options.problem);
    r.attrs = options.attrs;
    r.call = fmt::format("{}({}{}{})", builder, names_of(r.reads), options.code.empty() ? "" : ", ",
                         options.code);
    return {};
  }

  /// "a"_n, "b"_n
  template <class NameOf>
  [[nodiscard]] static std::string listed(const std::vector<int>& numbers, NameOf name_of) {
    std::string names;
    for (const int i : numbers)
      names += fmt::format("{}{}_n", names.empty() ? "" : ", ", cpp_string(name_of(i)));
    return names;
  }
  [[nodiscard]] std::string names_of(const std::vector<int>& nodes) const {
    return listed(nodes, [this](int i) { return name(i); });
  }

  /// Whether a call is of a function of two tensors, one of which is a number: x + 0.5.
  [[nodiscard]] static bool has_number(const ctq::view<argument>& all, const model_row& r) {
    return r.op->descriptor->schedule.with_number != nullptr && all.size() == 2 &&
           r.reads.size() == 1 && all[0].keyword.empty() && all[1].keyword.empty() &&
           (is_number(all[0]) || is_number(all[1]));
  }

  /// Sets such a call; returns the reason if there is none.
  std::string number_call(const std::string& builder, const ctq::view<argument>& all,
                          model_row& r) {
    ctq::scalar_operand number{.position = all[0].is == kind::node ? 2 : 1};
    const argument& given = all[number.position - 1];
    const bool of_integers = facts_of(r.reads[0]).holds == ctq::number_kind::integer;
    const bool compares =
        gives_integers_if(*r.op->descriptor) == ctq::integers_if::never_but_a_mask;
    if (!read_operand(given, of_integers, number.value) || (std::isinf(number.value) && !compares))
      return fmt::format("calls {}, which cannot have the number {}{}", r.op->name,
                         shown_argument(given), of_integers ? " with integers" : "");
    r.attrs = ctq::attributes{number};
    const std::string in_cpp = cpp_number(number.value);
    const std::string tensor = cpp_string(name(r.reads[0])) + "_n";
    r.call = number.position == 1 ? fmt::format("{}({}, {})", builder, in_cpp, tensor)
                                  : fmt::format("{}({}, {})", builder, tensor, in_cpp);
    return {};
  }

  /// Whether the argument is a tensor, or a list of tensors.
  static bool is_tensor(const ctq::view<argument>& all, int at) {
    if (!all[at].keyword.empty()) return false;
    if (all[at].is == kind::node) return true;
    if (all[at].is != kind::list) return false;
    for (int e = 1; e <= all[at].integer; ++e)
      if (all[at + e].is != kind::node) return false;
    return all[at].integer > 0;
  }

  const ctq::fx_graph& model_;
  const user_op_names& user_ops_;
  ctq::graph_view<ctq::stage::traced> g_;
  std::vector<bool> indices_;                             // by node: read_as_indices
  ctq::list<int> users_ = ctq::count_users(g_);           // by node
  std::unordered_map<std::string_view, int> first_call_;  // by the path of the module
  std::vector<node_facts> known_;                         // by node
  bool has_unknown_op_ = false;                           // that compiled models do not have
  node_problem problem_;
};

/// The model as a C++ constant would have it, or its error: shapes that do not match, ops without a
/// shape rule. Refers to the rows.
auto linked(const std::vector<model_row>& rows) {
  std::vector<std::vector<std::string_view>> reads(rows.size());
  std::vector<ctq::linking::pending> pending;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const int a : rows[i].reads) reads[i].push_back(rows[static_cast<std::size_t>(a)].name);
    pending.push_back({rows[i].name, rows[i].op, &rows[i].attrs, reads[i].data(),
                       static_cast<int>(reads[i].size())});
  }
  return ctq::linking::link(pending.data(), pending.size());
}

/// The namespaces of ctq that the calls use.
std::string aliases(const std::vector<model_row>& rows) {
  std::set<std::string> used;
  for (const model_row& r : rows) used.insert(r.call.substr(0, r.call.find("::")));
  used.erase("");  // user-defined ops
  std::string text;
  for (const std::string& space : used)
    text += fmt::format("namespace {} = ctq::{};\n", space, space);
  return text;
}

std::string header(const std::vector<model_row>& rows, const std::string& name,
                   const std::string& space, const std::string& source, const header_form& form) {
  std::vector<std::string> names;
  std::size_t width = 0;
  for (const model_row& r : rows) {
    names.push_back(cpp_string(r.name));
    if (names.back().size() <= longest_aligned) width = std::max(width, names.back().size());
  }
  std::string text = fmt::format(
      "#pragma once\n\n{}\n// From {}, by {}.\n\n"
      "namespace {} {{\n\n{}using namespace ctq::literals;\n\n// clang-format off\n"
      "inline constexpr auto {} = ctq::model(\n",
      form.includes, cpp_comment(source), form.command, space, aliases(rows), name);
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format("    {}_n{:{}} = {}{}\n", names[i], "",
                        width - std::min(names[i].size(), width), rows[i].call,
                        i + 1 == rows.size() ? ");" : ",");
  return text + fmt::format("// clang-format on\n\n}}  // namespace {}\n", space);
}

}  // namespace

std::string in_one_line(const ctq::diagnostic& problem) {
  std::string words;
  for (const std::string_view all = problem.message(); const char& c : all) {
    const std::string_view rest = all.substr(static_cast<std::size_t>(&c - all.data()) + 1);
    const bool is_sentence = rest.starts_with("ctq::evaluator ") ||
                             rest.starts_with("the input ") || rest.starts_with("method::") ||
                             rest.starts_with("indices are ") || rest.starts_with("op::getitem ");
    if (c == '\n' && is_sentence) words += ';';
    words += c == '\n' ? ' ' : c;
  }
  return words;
}

ctq::result<std::string> import_model(std::string_view rows, const std::string& file,
                                      const std::string& name, const std::string& space,
                                      const std::string& source, const user_op_names& user_ops,
                                      const header_form& form) {
  for (const auto& [op, in_cpp] : user_ops)
    if (std::string why = namespace_problem(in_cpp); !why.empty()) return ctq::fail(in_cpp, why);
  if (std::string why = identifier_problem(name); !why.empty()) return ctq::fail(name, why);
  if (std::string why = namespace_problem(space); !why.empty()) return ctq::fail(space, why);
  const auto model = ctq::read_fx(rows, ctq::ops<ctq::builtin>::value, file);
  if (!model) return ctq::unexpected{model.error()};
  importer read{*model, user_ops};
  const std::vector<model_row> all = read.rows();
  const auto failed = [&](int node, std::string words) {
    return failed_at(file, rows, model->offset_of(node), std::move(words));
  };
  if (!read.problem().words.empty()) return failed(read.problem().node, read.problem().words);
  const auto is_user = [](const model_row& r) { return r.call.starts_with("::"); };
  if (std::any_of(all.begin(), all.end(), is_user)) return header(all, name, space, source, form);
  const auto in_cpp = linked(all);
  if (in_cpp.problem.any())  // at the last node that was added
    return failed(all[static_cast<std::size_t>(in_cpp.size()) - 1].node,
                  in_one_line(in_cpp.problem));
  return header(all, name, space, source, form);
}

ctq::result<shaped_model> with_shapes(const ctq::fx_graph& model) {
  importer read{model};
  const std::vector<model_row> rows = read.rows();
  if (!read.problem().words.empty()) return ctq::fail({}, read.problem().words);
  const auto in_cpp = linked(rows);
  if (in_cpp.problem.any()) return ctq::fail({}, in_one_line(in_cpp.problem));
  shaped_model shaped;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ctq::node n = model.view()[rows[i].node];
    n.op = rows[i].op;
    std::vector<argument>& args =
        shaped.arguments.emplace_back(read.arguments_of_node(rows[i].node));
    if (const int item = rows[i].added_item; item >= 0) {
      n.name = shaped.names.emplace_back(rows[i].name);
      args = {{.is = kind::node}, {.is = kind::integer, .integer = item}};
    }
    ctq::fx_row& row = shaped.rows.emplace_back(*n.row);
    row.args = {args.data(), static_cast<int>(args.size())};
    n.row = &row;
    n.attrs = in_cpp.nodes[i].attrs;
    n.dtype = in_cpp.nodes[i].dtype;
    n.shape = in_cpp.nodes[i].shape;
    shaped.graph.add(n, rows[i].reads.data(), static_cast<int>(rows[i].reads.size()));
  }
  return shaped;
}

}  // namespace tool
