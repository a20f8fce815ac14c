// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/check_compiled_lstm.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends/native.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({2, 3, 4}), "lstm"_n = nn::lstm("x"_n, {.hidden_size = 4}),
          "y"_n = op::getitem("lstm"_n, {.index = {0}}),
          "state"_n = op::getitem("lstm"_n, {.index = {1}}),
          "next"_n = nn::lstm("y"_n, "state"_n, {.hidden_size = 4}),
          "z"_n = op::getitem("next"_n, {.index = {0}}), "out"_n = nn::output("z"_n));
constexpr auto without_batch =
    model("x"_n = nn::placeholder({2, 4}), "lstm"_n = nn::lstm("x"_n, {.hidden_size = 4}),
          "y"_n = op::getitem("lstm"_n, {.index = {0}}), "out"_n = nn::output("y"_n));
constexpr auto whole_state =
    model("x"_n = nn::placeholder({2, 3, 4}), "lstm"_n = nn::lstm("x"_n, {.hidden_size = 4}),
          "state"_n = op::getitem("lstm"_n, {.index = {-1}}), "out"_n = nn::output("state"_n));

/// That, with this index of the state.
template <index_list Index>
constexpr auto part_of_state = model("x"_n = nn::placeholder({2, 3, 4}),
                                     "lstm"_n = nn::lstm("x"_n,
                                                         recurrent_options{.hidden_size = 4}),
                                     "state"_n = op::getitem("lstm"_n, {.index = {1}}),
                                     "part"_n = op::getitem("state"_n, {.index = Index}),
                                     "out"_n = nn::output("part"_n));

template <class Activation, class Weight = per_channel_min_max_observer<>>
constexpr mapping_view all_of = mapping_v<qconfig_mapping<global<qconfig<Activation, Weight>>>>;
constexpr mapping_view ranges = all_of<min_max_observer<>>;

template <class Model>
std::string why_not(const Model& model, const mapping_view& mapping = ranges,
                    const custom_module& entry = lstm_custom_module, bool is_qat = false) {
  const prepare_options told{
      .policy = unsupported::skip, .is_qat = is_qat, .custom = {.custom_modules = {&entry, 1}}};
  const auto fused = fuse(model.view(), backend_v<native>);
  const auto prepared = prepare_graph(fused.view(), backend_v<native>, mapping, told);
  CHECK_FALSE(prepared.problem.any());
  return std::string(check_compiled_lstm(prepared.view(), mapping, told).message());
}

}  // namespace

TEST_CASE("LSTMs of PyTorch's classes are compiled, if their activations are quint8") {
  CHECK(why_not(net).empty());
  CHECK(why_not(net, all_of<min_max_observer<{.dtype = qint8}>>) ==
        "a statically quantized LSTM has\nactivations quint8, weights qint8;\n"
        "node lstm has qint8, qint8:\ngive it another qconfig,\nor to keep it in float:\n"
        "allow_float<lstm>");
  CHECK(why_not(net, all_of<min_max_observer<>, min_max_observer<>>)
            .starts_with("a statically quantized LSTM has\nactivations quint8, weights qint8;\n"
                         "node lstm has quint8, quint8:"));
}

TEST_CASE("other classes are not, and what does run them is said") {
  constexpr op_info observed{op_kind::module, "my.ObservedLSTM"};
  CHECK(why_not(net, ranges, {.float_class = nn::lstm.id(), .observed = &observed}) ==
        "compiled code has no kernel for\nmy.ObservedLSTM, node lstm:\n"
        "name ctq::lstm_custom_module,\nor run it in an evaluator,\nor to keep it in float:\n"
        "allow_float<lstm>");
}

TEST_CASE("nor is training") {
  CHECK(why_not(net, ranges, lstm_custom_module, true) ==
        "compiled code does not train the\nstatically quantized LSTM lstm:\n"
        "calibrate it, without is_qat,\nor to keep it in float:\nallow_float<lstm>");
}

TEST_CASE("nor is a sequence without a batch") {
  CHECK(why_not(without_batch) ==
        "a statically quantized LSTM reads\n[steps, batch, features];\nnode lstm reads 2 axes:\n"
        "add one by unsqueeze,\nor to keep it in float:\nallow_float<lstm>");
}

TEST_CASE("h and c have different scales, so only an LSTM reads both at once") {
  CHECK(why_not(whole_state) ==
        "node out reads h and c together,\nwhich have different scales:\n"
        "op::getitem of state selects one");
}

TEST_CASE("what selects more or less than h or c reads both") {
  CHECK(why_not(part_of_state<index_list{0}>).empty());
  CHECK(why_not(part_of_state<index_list{-1}>).empty());
  const std::string both =
      "node part reads h and c together,\nwhich have different scales:\n"
      "op::getitem of state selects one";
  CHECK(why_not(part_of_state<index_list{index::slice(0, 1)}>) == both);
  CHECK(why_not(part_of_state<index_list{index::slice(0, 2)}>) == both);
  CHECK(why_not(part_of_state<index_list{0, 1}>) == both);
  CHECK(why_not(part_of_state<index_list{1, 0}>) == both);
}

TEST_CASE("h and c of an LSTM that stays in float are read as any value") {
  constexpr custom_module without_quantized{.float_class = nn::lstm.id(),
                                            .observed = &quantizable_lstm_class};
  CHECK(why_not(whole_state, ranges, without_quantized).empty());
}

TEST_CASE("a plan in float, or without custom modules, is not looked at") {
  constexpr mapping_view in_float =
      mapping_v<qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>,
                                object_type<nn::lstm, qconfig_none>>>;
  CHECK(why_not(whole_state, in_float).empty());
  const auto g = whole_state.view();
  dynamic_graph<stage::prepared> prepared;
  for (int i = 0; i < g.size(); ++i) prepared.add(g[i], g.args + g[i].first_arg, g[i].arg_count);
  CHECK_FALSE(check_compiled_lstm(prepared.view(), ranges, {}).any());
}
