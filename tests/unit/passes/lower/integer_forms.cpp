// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/lower/integer_forms.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string_view>

#include "ctq/backends/qconfigs.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using graph = graph_view<stage::reference>;

constexpr auto net = model(
    "x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
    "add"_n = op::add("fc"_n, "x"_n), "relu"_n = nn::relu("add"_n), "out"_n = nn::output("relu"_n));

template <class Mapping>
dynamic_graph<stage::reference> converted() {
  const auto fused = fuse(net.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping_v<Mapping>);
  return convert_graph(prepared.view(), backend_v<x86>, mapping_v<Mapping>);
}

/// The quantize behind a node, or the node that reads it last.
int reader_of(graph g, std::string_view name) {
  int last = -1;
  for (int i = 0; i < g.size(); ++i)
    for (const int a : g.args_of(i))
      if (g[a].name == name) last = i;
  return last;
}

/// A graph that is written node by node.
struct by_hand {
  dynamic_graph<stage::reference> g;

  int add(std::string_view name, op_id op, const list<int>& args, dtype d = f32) {
    node n{.name = name, .op = op, .dtype = d};
    n.choice.dtype_config = 0;  // of an op that is to be quantized
    return g.add(n, args);
  }
  static list<int> of(std::initializer_list<int> args) { return {args.begin(), args.size()}; }
  int input(std::string_view name) { return add(name, nn::placeholder.id(), {}); }
  int quantize(int from, dtype d = quint8) {
    return add("q", q::quantize_per_tensor.id(), of({from}), d);
  }
  int dequantize(int from) { return add("d", q::dequantize.id(), of({from})); }
  int rounded(int from, dtype d = quint8) { return dequantize(quantize(from, d)); }

  /// The op on integers in the place of a node; null: none.
  op_id form(int i, semantics s = {}) const {
    return lowering::integer_forms<graph>{g.view(), s, false}.form[i];
  }
};

TEST_CASE("an op whose float output something else reads is not lowered") {
  by_hand b;
  const int pool = b.add("pool", nn::max_pool2d.id(), by_hand::of({b.rounded(b.input("x"))}));
  const int first = b.quantize(pool);
  CHECK(b.form(first) == nn::max_pool2d.id());
  const int second = b.quantize(pool);
  CHECK(b.form(first) == nullptr);
  CHECK(b.form(second) == nullptr);
}

TEST_CASE("a relu goes into an op only if nothing else reads that op") {
  by_hand b;
  const int x = b.rounded(b.input("x"));
  const int sum = b.add("sum", op::add.id(), by_hand::of({x, x}));
  const int relu = b.quantize(b.add("relu", nn::relu.id(), by_hand::of({sum})));
  CHECK(b.form(relu) == q::add_relu.id());
  b.add("other", nn::sigmoid.id(), by_hand::of({sum}));
  CHECK(b.form(relu) == nullptr);
}

TEST_CASE("ops that PyTorch 1.13 has no form of on integers stay in float there") {
  by_hand b;
  const int flat =
      b.quantize(b.add("flat", nn::flatten.id(), by_hand::of({b.rounded(b.input("x"))})));
  CHECK(b.form(flat) == nn::flatten.id());
  CHECK(b.form(flat, semantics::torch_1_13) == nullptr);
}

TEST_CASE("a user's op computes on integers if all its tensors have one dtype") {
  for (const dtype other : {quint8, qint8}) {
    by_hand b;
    const int x = b.rounded(b.input("x"));
    const int y = b.rounded(b.input("y"), other);
    const int sum = b.quantize(b.add("sum", own::add_swish.id(), by_hand::of({x, y})));
    CHECK((b.form(sum) == own::add_swish.id()) == (other == quint8));
  }
}

TEST_CASE("a relu after a function with a dynamically quantized input goes into it") {
  by_hand b;
  const int x =
      b.add("q", q::quantize_per_tensor_dynamic.id(), by_hand::of({b.input("x")}), quint8);
  const int w = b.rounded(b.add("w", nn::get_attr.id(), {}), qint8);
  const int y = b.add("y", fn::linear.id(), by_hand::of({b.dequantize(x), w}));
  CHECK(b.form(y) == q::functional_linear_dynamic.id());
  const int relu = b.add("relu", fn::relu.id(), by_hand::of({y}));
  CHECK(b.form(relu) == q::functional_linear_relu_dynamic.id());
  CHECK(b.form(y) == nullptr);
}

TEST_CASE("ops between dequantize and quantize replace the quantize") {
  struct everywhere
      : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>> {};
  const auto reference = converted<everywhere>();
  const graph g = reference.view();
  const lowering::integer_forms<graph> forms{g, semantics{}, true};

  const int linear = reader_of(g, "fc");
  CHECK(forms.form[linear] == q::linear.id());
  CHECK(forms.of[linear] == find(g, "fc"));
  CHECK(forms.relu[linear] == -1);
  CHECK(forms.fused[find(g, "fc")]);
  CHECK(g[forms.source(linear, 0)].op == q::quantize_per_tensor.id());

  const int sum = reader_of(g, "relu");  // which goes into the add
  CHECK(forms.form[sum] == q::add_relu.id());
  CHECK(forms.of[sum] == find(g, "add"));
  CHECK(forms.relu[sum] == find(g, "relu"));
  CHECK(forms.fused[find(g, "add")]);
  CHECK(forms.fused[find(g, "relu")]);
}

TEST_CASE("an op whose input is quantized dynamically keeps its place and reads floats") {
  using dynamic = qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>,
                          min_max_observer<{.dtype = qint8}>>;
  struct mapping : qconfig_mapping<object_type<nn::linear, dynamic>> {};
  const auto reference = converted<mapping>();
  const graph g = reference.view();
  for (const bool only_with_kernels : {false, true}) {
    const lowering::integer_forms<graph> forms{g, semantics{}, only_with_kernels};
    const int fc = find(g, "fc");
    CHECK(forms.form[fc] == q::linear_dynamic.id());
    CHECK(forms.is_dynamic[fc]);
    CHECK(g[forms.source(fc, 0)].name == "x");
  }
}

TEST_CASE("a dynamic layer gives floats, also where its output is quantized") {
  struct mapping : qconfig_mapping<global<default_per_channel_qconfig>,
                                   module_name<"fc", default_dynamic_qconfig>> {};
  const auto reference = converted<mapping>();
  const graph g = reference.view();
  const lowering::integer_forms<graph> forms{g, semantics{}, true};
  CHECK(forms.form[find(g, "fc")] == q::linear_dynamic.id());
  const int quantize = reader_of(g, "fc");
  CHECK(is_any_of(g[quantize].op, q::quantize_per_tensor));
  CHECK(forms.form[quantize] == nullptr);
}

TEST_CASE("a dynamic layer of float16 weights has a kernel, and one of signed inputs") {
  struct mapping : qconfig_mapping<object_type<nn::linear, float16_dynamic_qconfig>> {};
  auto reference = converted<mapping>();
  const auto form = [&](bool only_with_kernels) {
    const graph g = reference.view();
    return lowering::integer_forms<graph>{g, semantics{}, only_with_kernels}.form[find(g, "fc")];
  };
  CHECK(form(false) == q::linear_dynamic.id());
  CHECK(form(true) == q::linear_dynamic.id());
  for (node& n : reference.nodes)
    if (is_any_of(n.op, q::quantize_per_tensor_dynamic)) n.dtype = qint8;
  CHECK(form(false) == q::linear_dynamic.id());
  CHECK(form(true) == q::linear_dynamic.id());
}

}  // namespace
