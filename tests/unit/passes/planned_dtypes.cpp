// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/planned_dtypes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/resolve_qconfig.hpp"

using namespace ctq;

namespace {

using view_t = graph_view<stage::fused>;
using kind = argument::kind;

/// A graph as torch.fx traces it, with the rows of its Python calls.
class traced {
 public:
  void placeholder(const char* name) { add(name, nn::placeholder.id(), {}, {}); }
  void add(const char* name, op_id op, std::vector<argument> args, const std::vector<int>& nodes,
           const char* target = "") {
    calls_.push_back(std::move(args));
    targets_.emplace_back(target);
    node n{.name = name, .op = op};
    graph_.add(n, nodes.data(), static_cast<int>(nodes.size()));
  }
  [[nodiscard]] view_t view() {
    rows_.resize(calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      rows_[i].target = targets_[i];
      rows_[i].args = {calls_[i].data(), static_cast<int>(calls_[i].size())};
      graph_.nodes[i].row = &rows_[i];
    }
    return graph_.view();
  }

 private:
  dynamic_graph<stage::fused> graph_;
  std::vector<std::vector<argument>> calls_;
  std::vector<std::string> targets_;
  std::vector<fx_row> rows_;
};

constexpr argument a_node{.is = kind::node};
constexpr argument an_integer{.is = kind::integer, .integer = 2};
constexpr argument a_real{.is = kind::real, .real = 0.5};
constexpr argument a_text(const char* text) { return {.is = kind::text, .text = text}; }
constexpr argument a_list_of(int n) { return {.is = kind::list, .integer = n}; }

std::vector<bool> without_tensors(view_t g) {
  list<bool> flags(g.count, false);
  planning::find_without_tensors(g, flags);
  std::vector<bool> all;
  for (int i = 0; i < g.count; ++i) all.push_back(flags[i]);
  return all;
}

using usual = qconfig<histogram_observer<>, per_channel_min_max_observer<>>;
using everywhere = qconfig_mapping<global<usual>>;

template <class Mapping = everywhere, class Backend = x86>
dtype_plan<view_t> plan_of(view_t g, const prepare_options& options = {}) {
  const auto qconfigs = resolve_qconfigs(g, mapping_v<Mapping>);
  const auto matches =
      find_all(g, backend_v<Backend>, [](const backend_pattern_config_record&) { return true; });
  dtype_plan<view_t> plan;
  plan_dtypes(g, backend_v<Backend>, mapping_v<Mapping>, qconfigs, matches, options, plan);
  return plan;
}

void check(const planned_dtypes& d, dtype input, dtype output) {
  CHECK(d.input == input);
  CHECK(d.output == output);
  CHECK_FALSE(d.is_dynamic);
}

}  // namespace

TEST_CASE("sizes and what is computed from them alone are no tensors") {
  traced g;
  g.placeholder("x");
  g.add("size", method::size.id(), {a_node, an_integer}, {0});
  g.add("twice", op::mul.id(), {a_node, an_integer}, {1});
  g.add("shape", fn::getattr.id(), {a_node, a_text("shape")}, {0});
  g.add("ndim", fn::getattr.id(), {a_node, a_text("ndim")}, {0});
  g.add("first", op::getitem.id(), {a_node, an_integer}, {3});
  g.add("scaled", op::mul.id(), {a_node, a_real}, {1});
  g.add("mixed", op::add.id(), {a_node, a_node}, {0, 2});
  g.add("sizes", op::add.id(), {a_node, a_node}, {1, 2});
  CHECK(without_tensors(g.view()) == std::vector<bool>{false, true, true, true, true, true,
                                                       false,  // a float may be a tensor's element
                                                       false, true});
}

TEST_CASE("an op that the backend does not observe keeps float, whatever its qconfig says") {
  struct unobserved
      : backend_config<
            "unobserved",
            backend_pattern_config<pattern<nn::embedding>, dtype_configs<weight_only_quint8>,
                                   observation<observation_type::input_output_not_observed>>,
            backend_pattern_config<pattern<nn::relu>, dtype_configs<activation_int8>>> {};
  traced g;
  g.placeholder("x");
  g.add("emb", nn::embedding.id(), {a_node}, {0}, "emb");
  g.add("relu", nn::relu.id(), {a_node}, {1}, "relu");
  const auto plan = plan_of<everywhere, unobserved>(g.view());
  check(plan.dtypes[1], f32, f32);
  check(plan.dtypes[2], quint8, quint8);
}

TEST_CASE("only positional arguments outside of lists tell, an index does not") {
  traced g;
  g.placeholder("x");
  g.add("size", method::size.id(), {a_node}, {0});
  g.add("sliced", op::getitem.id(), {a_node, a_node}, {0, 1});
  g.add("of_size", op::getitem.id(), {a_node, a_node}, {1, 0});
  argument by_keyword = a_node;
  by_keyword.keyword = "other";
  g.add("keyword", op::add.id(), {a_node, by_keyword}, {1, 0});
  g.add("cat", fn::cat.id(), {a_list_of(2), a_node, a_node}, {0, 0});
  g.add("cat_of_sizes", fn::cat.id(), {a_list_of(2), a_node, a_node}, {1, 1});
  g.add("nothing", fn::cat.id(), {}, {});
  CHECK(without_tensors(g.view()) ==
        std::vector<bool>{false, true, false, true, true, false, true, false});
}

TEST_CASE("a module always gives a tensor, as do nodes that have no row of torch.fx") {
  traced g;
  g.placeholder("x");
  g.add("size", method::size.id(), {a_node}, {0});
  g.add("relu", nn::relu.id(), {a_node}, {1}, "relu");
  CHECK(without_tensors(g.view()) == std::vector<bool>{false, true, false});
  dynamic_graph<stage::fused> plain;
  plain.add(node{.name = "size", .op = method::size.id()}, list<int>{});
  CHECK(without_tensors(plain.view()) == std::vector<bool>{false});
}

TEST_CASE("tensors are counted among the positional arguments") {
  traced g;
  g.placeholder("x");
  g.add("size", method::size.id(), {a_node}, {0});
  g.add("sum", op::add.id(), {a_node, a_node}, {0, 0});
  g.add("more", op::add.id(), {a_node, a_node}, {0, 1});
  g.add("number", op::add.id(), {a_node, an_integer}, {0});
  const view_t v = g.view();
  list<bool> none(v.count, false);
  planning::find_without_tensors(v, none);
  CHECK(tensor_arguments(v, 2, none) == 2);
  CHECK(tensor_arguments(v, 3, none) == 1);
  CHECK(tensor_arguments(v, 4, none) == 1);
  dynamic_graph<stage::fused> plain;
  plain.add(node{.name = "sum", .op = op::add.id()}, list<int>{});
  plain.nodes[0].arg_count = 2;
  CHECK(tensor_arguments(plain.view(), 0, none) == 2);
}

TEST_CASE("a node with a pattern and a qconfig gets the dtypes that the qconfig asks for") {
  traced g;
  g.placeholder("x");
  g.add("fc", nn::linear.id(), {a_node}, {0}, "fc");
  g.add("unknown", fn::log_softmax.id(), {a_node}, {1});
  const auto plan = plan_of(g.view());
  check(plan.dtypes[0], f32, f32);
  check(plan.dtypes[1], quint8, quint8);
  CHECK(plan.dtypes[1].weight == qint8);
  CHECK(plan.dtypes[1].bias == f32);
  check(plan.dtypes[2], f32, f32);  // x86 has no pattern for it
  CHECK(plan.has_qconfig[1]);

  using none = qconfig_mapping<global<usual>, module_name<"fc", qconfig_none>>;
  const auto left = plan_of<none>(g.view());
  check(left.dtypes[1], f32, f32);
  CHECK_FALSE(left.has_qconfig[1]);
}

TEST_CASE("an op that is quantized dynamically reads integers and gives floats") {
  using dynamic = qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>,
                          per_channel_min_max_observer<>>;
  traced g;
  g.placeholder("x");
  g.add("fc", nn::linear.id(), {a_node}, {0}, "fc");
  const auto plan = plan_of<qconfig_mapping<global<dynamic>>>(g.view());
  CHECK(plan.dtypes[1].input == quint8);
  CHECK(plan.dtypes[1].is_dynamic);
  CHECK(plan.dtypes[1].output == f32);
}

TEST_CASE("inputs of the model that are said to be quantized are, the others are not") {
  traced g;
  g.placeholder("x");
  g.placeholder("y");
  g.add("sum", op::add.id(), {a_node, a_node}, {0, 1});
  const int second[] = {1};
  const auto plan = plan_of(
      g.view(), {.quantized_dtype = qint8, .custom = {.input_quantized_indexes = {second, 1}}});
  check(plan.dtypes[0], f32, f32);
  check(plan.dtypes[1], qint8, qint8);
}

TEST_CASE("the sizes of a reshape are no tensors, nor is what they are copied from") {
  traced g;
  g.placeholder("x");
  g.add("a", op::add.id(), {a_node, a_node}, {0, 0});
  g.add("flat", fn::flatten.id(), {a_node}, {1});  // shares: it copies
  g.add("view", method::view.id(), {a_node, a_node, a_node}, {0, 2, 0});
  const auto plan = plan_of(g.view());
  check(plan.dtypes[2], dtype::none, dtype::none);
  check(plan.dtypes[1], dtype::none, dtype::none);
  check(plan.dtypes[0], dtype::none, dtype::none);  // an argument of the view, too
  check(plan.dtypes[3], quint8, quint8);
}

TEST_CASE("an add is observed as its tensors are: with a number it keeps the range's kind") {
  traced g;
  g.placeholder("x");
  g.add("sum", op::add.id(), {a_node, a_node}, {0, 0});
  g.add("plus", op::add.id(), {a_node, a_real}, {1});
  const view_t v = g.view();
  const auto matches =
      find_all(v, backend_v<x86>, [](const backend_pattern_config_record&) { return true; });
  const auto plan = plan_of(v);
  CHECK(plan.observed_as[matches.of_node[1]] ==
        observation_type::output_use_different_observer_as_input);
  CHECK(plan.observed_as[matches.of_node[2]] == observation_type::output_share_observer_with_input);
}

TEST_CASE("an element of a tuple is float to PyTorch 1.13") {
  traced g;
  g.placeholder("x");
  g.add("item", op::getitem.id(), {a_node, an_integer}, {0});
  check(plan_of(g.view(), {.semantics = semantics::torch_1_13}).dtypes[1], f32, f32);
}

TEST_CASE("a mask that a method reads is no tensor of numbers, with a row of torch.fx or without") {
  traced g;
  g.placeholder("x");
  g.placeholder("mask");
  g.add("fc", nn::linear.id(), {a_node}, {0}, "fc");
  g.add("filled", method::masked_fill.id(), {a_node, a_node, a_real}, {2, 1});
  const view_t with_rows = g.view();
  CHECK(plan_of(with_rows).dtypes[1].output == dtype::none);
  dynamic_graph<stage::fused> plain;
  for (int i = 0; i < with_rows.count; ++i) {
    node n = with_rows[i];
    n.row = nullptr;
    plain.add(n, with_rows.args + n.first_arg, n.arg_count);
  }
  const auto plan = plan_of(plain.view());
  CHECK(plan.dtypes[1].output == dtype::none);
  CHECK(plan.dtypes[2].output == quint8);
}
