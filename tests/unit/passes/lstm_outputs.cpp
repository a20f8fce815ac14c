// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/lstm_outputs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ctq/backends/native.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/passes/prepare.hpp"
#include "graphs.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr op_info observed_class{op_kind::module, "my.ObservedLSTM"};
constexpr op_info quantized_class{op_kind::module, "my.QuantizedLSTM"};
constexpr custom_module lstm{nn::lstm.id(), &observed_class, &quantized_class};

using static_int8 =
    qconfig<min_max_observer<>,
            min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>;
constexpr mapping_view mapping = mapping_v<qconfig_mapping<global<static_int8>>>;

/// The parts of a tuple that layers read, and an element of one of them.
constexpr auto net = model(
    "x"_n = nn::placeholder({2, 3, 4}), "lstm"_n = nn::lstm("x"_n, {.hidden_size = 4}),
    "y"_n = op::getitem("lstm"_n, {.index = {0}}), "fc"_n = nn::linear("y"_n, {.out_features = 2}),
    "state"_n = op::getitem("lstm"_n, {.index = {1}}),
    "h"_n = op::getitem("state"_n, {.index = {0}}), "last"_n = op::getitem("y"_n, {.index = {-1}}),
    "out"_n = nn::output("fc"_n, "h"_n, "last"_n));

struct all_stages {
  dynamic_graph<stage::fused> fused;
  dynamic_graph<stage::prepared> prepared;
  dynamic_graph<stage::reference> reference;
  dynamic_graph<stage::lowered> lowered;
};

all_stages stages_of(semantics s, const custom_module& entry) {
  const prepare_options told{
      .semantics = s, .policy = unsupported::skip, .custom = {.custom_modules = {&entry, 1}}};
  all_stages all;
  all.fused = fuse(net.view(), backend_v<native>, {.semantics = s});
  all.prepared = prepare_graph(all.fused.view(), backend_v<native>, mapping, told);
  all.reference = convert_graph(all.prepared.view(), backend_v<native>, mapping,
                                {.semantics = s, .prepared = told});
  all.lowered = lower(all.reference.view(), {.semantics = s});
  return all;
}

// In constants the graphs have room for what is dequantized.
struct told : plan_options {
  static constexpr custom_module classes[] = {lstm};
  static constexpr prepare_custom_config prepare{.custom_modules = {classes, 1}};
};
struct everywhere : qconfig_mapping<global<static_int8>> {};
using planned = graph_plan<net, native, everywhere, unsupported::skip, told>;

constexpr argument a_node{.is = argument::kind::node};
constexpr argument number(std::int64_t i) { return {.is = argument::kind::integer, .integer = i}; }

}  // namespace

TEST_CASE("what is a part of a tuple, and what is computed from one") {
  const auto g = net.view();
  const int whole = find(g, "lstm");
  for (const char* part : {"lstm", "y", "state", "h"}) CHECK(whole_of(g, find(g, part)) == whole);
  for (const char* other : {"x", "fc", "last"}) CHECK(whole_of(g, find(g, other)) != whole);
}

TEST_CASE("the same in rows of torch.fx, where indexes are arguments") {
  const std::vector<argument> of_state{a_node, number(-1)}, of_output{a_node, number(0)},
      without{a_node};
  fx_row second, first, none;
  second.args = {of_state.data(), 2};
  first.args = {of_output.data(), 2};
  none.args = {without.data(), 1};
  dynamic_graph<stage::traced> g;
  g.add({.name = "lstm", .op = nn::lstm.id()}, nullptr, 0);
  g.add({.name = "state", .op = op::getitem.id(), .row = &second}, 0);
  g.add({.name = "h", .op = op::getitem.id(), .row = &first}, 1);
  g.add({.name = "row", .op = op::getitem.id(), .row = &first}, 2);
  g.add({.name = "odd", .op = op::getitem.id(), .row = &none}, 0);
  g.add({.name = "odder", .op = op::getitem.id(), .row = &first}, 4);
  const auto v = g.view();
  CHECK(takes_item(v[1], -1));
  CHECK_FALSE(takes_item(v[1], 1));
  CHECK_FALSE(takes_item(v[4], 0));
  CHECK(whole_of(v, 1) == 0);
  CHECK(whole_of(v, 2) == 0);
  CHECK(whole_of(v, 3) == 3);
  CHECK(whole_of(v, 5) == 5);
}

TEST_CASE("only a static custom module of the class nn.LSTM gives such a tuple") {
  CHECK(gives_quantized_tuple(&lstm));
  CHECK_FALSE(gives_quantized_tuple(nullptr));
  const custom_module dynamic{nn::lstm.id(), &observed_class, &quantized_class,
                              quant_type::dynamic};
  const custom_module gru{nn::gru.id(), &observed_class, &quantized_class};
  const custom_module of_convert{.observed = &observed_class, .quantized = &quantized_class};
  for (const custom_module* other : {&dynamic, &gru, &of_convert})
    CHECK_FALSE(gives_quantized_tuple(other));
}

TEST_CASE("no part is observed, and what reads one needs no observer before it") {
  for (const semantics s : {semantics::torch_1_13, semantics::torch_2_1}) {
    const all_stages all = stages_of(s, lstm);
    CHECK_FALSE(all.prepared.problem.any());
    CHECK(graphs::print(all.prepared.view()) == R"(x = placeholder()
activation_post_process_0 = activation_post_process(x) #0
lstm = my.ObservedLSTM(activation_post_process_0)
y = _operator.getitem(lstm)
fc = torch.nn.Linear(y)
activation_post_process_1 = activation_post_process(fc) #1
state = _operator.getitem(lstm)
h = _operator.getitem(state)
last = _operator.getitem(y)
out = output(activation_post_process_1, h, last)
)");
    for (const char* part : {"lstm", "y", "state", "h"}) {
      const choice& c = all.prepared.nodes[find(all.prepared.view(), part)].choice;
      CHECK(c.quantized());
      CHECK(c.why.why == rejection::clause::none);
    }
    CHECK_FALSE(all.prepared.nodes[find(all.prepared.view(), "last")].choice.quantized());
  }
}

TEST_CASE("convert dequantizes the parts, and layers on integers read them directly") {
  const all_stages all = stages_of({}, lstm);
  CHECK(graphs::print(all.reference.view()) == R"(x = placeholder()
quantize_per_tensor_0 = torch.quantize_per_tensor(x) #0
lstm = my.QuantizedLSTM(quantize_per_tensor_0)
y = _operator.getitem(lstm)
dequantize_2 = dequantize(y)
fc = torch.nn.Linear(dequantize_2)
quantize_per_tensor_3 = torch.quantize_per_tensor(fc) #1
dequantize_3 = dequantize(quantize_per_tensor_3) #1
state = _operator.getitem(lstm)
h = _operator.getitem(state)
dequantize_5 = dequantize(h)
last = _operator.getitem(dequantize_2)
out = output(dequantize_3, dequantize_5, last)
)");
  CHECK(graphs::print(all.lowered.view()) == R"(x = placeholder()
quantize_per_tensor_0 = torch.quantize_per_tensor(x) #0
lstm = my.QuantizedLSTM(quantize_per_tensor_0)
y = _operator.getitem(lstm)
dequantize_2 = dequantize(y)
fc = torch.ao.nn.quantized.Linear(y) #1
dequantize_3 = dequantize(fc) #1
state = _operator.getitem(lstm)
h = _operator.getitem(state)
dequantize_5 = dequantize(h)
last = _operator.getitem(dequantize_2)
out = output(dequantize_3, dequantize_5, last)
)");
  CHECK(all.reference.nodes[find(all.reference.view(), "y")].dtype == quint8);
  CHECK(all.reference.nodes[find(all.reference.view(), "last")].dtype == f32);
}

TEST_CASE("graphs in constants are the same") {
  const all_stages all = stages_of({}, lstm);
  CHECK(graphs::print(planned::prepared.view()) == graphs::print(all.prepared.view()));
  CHECK(graphs::print(planned::reference.view()) == graphs::print(all.reference.view()));
  CHECK(graphs::print(planned::lowered.view()) == graphs::print(all.lowered.view()));
}

TEST_CASE("an LSTM without a quantized class stays in float, with all that reads it") {
  const custom_module observed_alone{nn::lstm.id(), &observed_class};
  const all_stages all = stages_of({}, observed_alone);
  const auto g = all.reference.view();
  for (int i = 0; i < g.size(); ++i)
    if (is_any_of(g[i].op, op::getitem)) CHECK(g[i].dtype == f32);
}

TEST_CASE("a qconfig that is None leaves parts as they were") {
  constexpr mapping_view but_lstm =
      mapping_v<qconfig_mapping<global<static_int8>, allow_float<"lstm">>>;
  const auto fused = fuse(net.view(), backend_v<native>);
  const auto prepared =
      prepare_graph(fused.view(), backend_v<native>, but_lstm,
                    {.policy = unsupported::skip, .custom = {.custom_modules = {&lstm, 1}}});
  const auto g = prepared.view();
  const int fc = find(g, "fc");
  CHECK(g.arg(fc, 0).op == q::activation_post_process.id());
}

// ---- ctq's classes, whose observers have numbers

namespace {

constexpr auto two = model(
    "x"_n = nn::placeholder({2, 3, 4}), "h0"_n = nn::placeholder({4, 3, 2}),
    "lstm"_n =
        nn::lstm("x"_n, "h0"_n, "h0"_n, {.hidden_size = 2, .num_layers = 2, .bidirectional = true}),
    "y"_n = op::getitem("lstm"_n, {.index = {0}}),
    "state"_n = op::getitem("lstm"_n, {.index = {1}}),
    "h"_n = op::getitem("state"_n, {.index = {-2}}),
    "c"_n = op::getitem("state"_n, {.index = {-1}}),
    "lstm#2"_n =
        nn::lstm("y"_n, "state"_n, {.hidden_size = 2, .num_layers = 2, .bidirectional = true}),
    "z"_n = op::getitem("lstm#2"_n, {.index = {-2}}), "out"_n = nn::output("z"_n, "h"_n, "c"_n));

struct of_ctq : plan_options {
  static constexpr int h0[] = {1};
  static constexpr prepare_custom_config prepare{.custom_modules = {&lstm_custom_module, 1},
                                                 .input_quantized_indexes = {h0, 1}};
};
using numbered = graph_plan<two, native, everywhere, unsupported::skip, of_ctq>;

constexpr int observer_of(std::string_view name) {
  return numbered::lowered.nodes[find(numbered::lowered.view(), name)].observer;
}

}  // namespace

TEST_CASE("observers in the cells of an LSTM follow those of the graph, once for all its calls") {
  const auto& g = numbered::prepared;
  const int first = g.observers - 4 * 7;
  CHECK(first == 1);  // x
  for (const char* name : {"lstm", "lstm#2"}) {
    const node& n = g.nodes[find(g.view(), name)];
    CHECK(has_inner_observers(n));
    CHECK(n.observer == first);
    CHECK(n.observer_config->type == observer_class::min_max);
  }
  CHECK_FALSE(has_inner_observers(g.nodes[find(g.view(), "y")]));
  // After them come the inputs that are quantized.
  CHECK(observer_of("h0") == g.observers);
  CHECK(numbered::lowered.observers == g.observers + 1);
  // The parts have the qparams of values in cells.
  CHECK(observer_of("lstm") == first);
  CHECK(observer_of("y") == first + 2 * 7 + 6);
  CHECK(observer_of("z") == first + 2 * 7 + 6);
  CHECK(observer_of("h") == first + 6);
  CHECK(observer_of("c") == first + 5);
  const auto v = g.view();
  CHECK(is_whole_state(v, find(v, "state")));
  for (const char* other : {"lstm", "y", "h", "c", "x"})
    CHECK_FALSE(is_whole_state(v, find(v, other)));
}

TEST_CASE("classes of their names are ctq's, others stay what they are") {
  constexpr op_info by_name{op_kind::module, "torch.ao.nn.quantizable.LSTM"};
  CHECK(class_with_kernels(lstm, &by_name) == &quantizable_lstm_class);
  CHECK(class_with_kernels(lstm, &quantized_lstm_class) == &quantized_lstm_class);
  CHECK(class_with_kernels(lstm, &observed_class) == &observed_class);
  CHECK(class_with_kernels(lstm, nullptr) == nullptr);
  const custom_module dynamic{nn::lstm.id(), &by_name, nullptr, quant_type::dynamic};
  CHECK(class_with_kernels(dynamic, &by_name) == &by_name);
  // In a model in C++ alone: rows of torch.fx do not tell the options.
  CHECK(stages_of({}, lstm).prepared.observers == 2);
  const fx_row row;
  dynamic_graph<stage::prepared> g;
  g.add({.name = "lstm", .op = &quantizable_lstm_class, .row = &row}, nullptr, 0);
  number_inner_observers(g, 0, static_int8::value.activation);
  CHECK(g.observers == 0);
  CHECK_FALSE(has_inner_observers(g.nodes[0]));
}
