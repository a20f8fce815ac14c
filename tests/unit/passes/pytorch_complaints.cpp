// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ctq/backends/native.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/io/read_fx.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/explain/explain.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/lower/lower.hpp"
#include "ctq/passes/prepare.hpp"
#include "graphs.hpp"

// What users of PyTorch's FX quantization complain about, case by case, and what ctq does instead.
// Each is named after the thread; torch_1_13 shows that the complaint is right.

using namespace ctq;
using namespace ctq::literals;

namespace {

using weights = min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>;
using usual = qconfig<min_max_observer<>, weights>;
struct everywhere : qconfig_mapping<global<usual>> {};

constexpr prepare_options skipping(semantics s) {
  return {.semantics = s, .policy = unsupported::skip};
}

/// The prepared graph of a model that is written in C++, printed.
template <class Backend, class Mapping>
std::string prepared(graph_view<stage::traced> g, semantics s) {
  const auto fused = fuse(g, backend_v<Backend>, {.semantics = s});
  return graphs::print(
      prepare_graph(fused.view(), backend_v<Backend>, mapping_v<Mapping>, skipping(s)).view());
}

fx_graph read(std::string_view rows) {
  auto g = read_fx(rows);
  REQUIRE(g.has_value());
  return *std::move(g);
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

constexpr auto two_layers =
    model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
          "b"_n = nn::linear("a"_n, {.out_features = 4}), "out"_n = nn::output("b"_n));

struct signed_everywhere
    : qconfig_mapping<global<qconfig<min_max_observer<{.dtype = qint8}>, weights>>> {};

TEST_CASE("pytorch#85851: a qconfig that the backend cannot honour is an error, not dropped") {
  const auto fused = fuse(two_layers.view(), backend_v<native>);
  const auto asked = prepare_graph(fused.view(), backend_v<native>, mapping_v<signed_everywhere>);
  CHECK(contains(asked.problem.message(), "node: a"));
  CHECK(contains(asked.problem.message(), "input.dtype: qint8\nthe backend allows: quint8"));
}

TEST_CASE("executorch#7718: it can be asked what was quantized, and why not") {
  constexpr auto why = explain<two_layers, native, signed_everywhere, unsupported::skip>();
  static_assert(!why.quantized("a"));
  static_assert(coverage<two_layers, native, signed_everywhere, unsupported::skip>() == 0.0);
  static_assert(coverage<two_layers, native, everywhere>() == 1.0);
}

constexpr std::string_view called_twice = R"([
  {"name": "x", "op": "placeholder", "target": "x", "args": []},
  {"name": "fc", "op": "call_module", "target": "fc", "args": [{"n": "x"}],
   "module": {"type": "nn.Linear"}},
  {"name": "relu", "op": "call_function", "target": "F.relu", "args": [{"n": "fc"}]},
  {"name": "fc_1", "op": "call_module", "target": "fc", "args": [{"n": "relu"}],
   "module": {"type": "nn.Linear"}},
  {"name": "output", "op": "output", "target": "output", "args": [{"n": "fc_1"}]}])";

TEST_CASE("pytorch#68178: fusing one call of a module leaves its other calls alone") {
  const fx_graph g = read(called_twice);
  const auto ours = fuse(g.view(), backend_v<native>);
  REQUIRE(ours.view().size() == 4);
  CHECK(ours.view()[1].op == nni::linear_relu.id());
  CHECK(ours.view()[2].op == nn::linear.id());
  const auto torch = fuse(g.view(), backend_v<native>, {.semantics = semantics::torch_1_13});
  CHECK(torch.view()[1].op == nni::linear_relu.id());
  CHECK(torch.view()[2].op == nni::linear_relu.id());
}

TEST_CASE("pytorch#75006: the output may be quantized in another way than the input") {
  using floats_out = qconfig<min_max_observer<>, weights, placeholder_observer<>>;
  struct backend
      : backend_config<
            "floats_out",
            backend_pattern_config<
                pattern<nn::linear>,
                dtype_configs<dtype_config<input_dtype<dtype_with_constraints<quint8>>,
                                           output_dtype<dtype_with_constraints<f32>>>>>> {};
  struct mapping : qconfig_mapping<global<floats_out>> {};
  CHECK(prepared<backend, mapping>(two_layers.view(), {}) ==
        "x = placeholder()\n"
        "activation_post_process_0 = activation_post_process(x) #0\n"
        "a = torch.nn.Linear(activation_post_process_0)\n"
        "activation_post_process_1 = activation_post_process(a) #1\n"
        "b = torch.nn.Linear(activation_post_process_1)\n"
        "out = output(b)\n");
}

TEST_CASE("pytorch#90698: a pattern may have any length") {
  struct chain
      : backend_config<"chain",
                       backend_pattern_config<pattern<nn::linear, nn::relu, nn::linear, nn::relu>,
                                              dtype_configs<>>> {};
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
            "r"_n = nn::relu("a"_n), "b"_n = nn::linear("r"_n, {.out_features = 4}),
            "s"_n = nn::relu("b"_n), "out"_n = nn::output("s"_n));
  const occurrences found = find_all(net.view(), backend_v<chain>,
                                     [](const backend_pattern_config_record&) { return true; });
  REQUIRE(found.count == 1);
  CHECK(found.found[0].count == 4);
}

constexpr std::string_view by_keyword = R"([
  {"name": "x", "op": "placeholder", "target": "x", "args": []},
  {"name": "w", "op": "get_attr", "target": "w", "args": []},
  {"name": "linear", "op": "call_function", "target": "F.linear", "args": [{"n": "x"}],
   "kwargs": {"weight": {"n": "w"}}},
  {"name": "output", "op": "output", "target": "output", "args": [{"n": "linear"}]}])";

TEST_CASE("pytorch#87686: a function whose weight is passed by keyword is quantized") {
  const fx_graph g = read(by_keyword);
  const auto fused = fuse(g.view(), backend_v<native>);
  const auto observed = prepare_graph(fused.view(), backend_v<native>, mapping_v<everywhere>);
  REQUIRE(!observed.problem.any());
  CHECK(observed.observers == 3);  // of the input, the weight, the output
  const auto reference = convert_graph(observed.view(), backend_v<native>, mapping_v<everywhere>);
  const auto lowered = lower(reference.view(), {.only_with_kernels = false});
  CHECK(contains(graphs::print(lowered.view()), "linear = torch.ops.quantized.linear("));
}

TEST_CASE("the weight of a module is checked when it is prepared, not dropped when converted") {
  struct unsigned_weight
      : qconfig_mapping<global<qconfig<min_max_observer<>, min_max_observer<>>>> {};
  const auto fused = fuse(two_layers.view(), backend_v<native>);
  const auto asked = prepare_graph(fused.view(), backend_v<native>, mapping_v<unsigned_weight>);
  CHECK(contains(asked.problem.message(), "weight.dtype: quint8\nthe backend allows: qint8"));
  CHECK(contains(prepared<native, unsigned_weight>(two_layers.view(), semantics::torch_1_13),
                 "activation_post_process_0"));
}

constexpr auto rejected_then_accepted =
    model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
          "s"_n = nn::sigmoid("a"_n), "b"_n = nn::linear("s"_n, {.out_features = 4}),
          "out"_n = nn::output("b"_n));
struct no_sigmoid
    : backend_config<"no_sigmoid",
                     backend_pattern_config<
                         pattern<nn::linear>,
                         dtype_configs<dtype_config<input_dtype<dtype_with_constraints<quint8>>,
                                                    output_dtype<dtype_with_constraints<quint8>>>>>,
                     backend_pattern_config<
                         pattern<nn::sigmoid>,
                         dtype_configs<dtype_config<input_dtype<dtype_with_constraints<qint8>>>>>> {
};

TEST_CASE("a rejected producer does not take the observer of its reader away") {
  CHECK(contains(prepared<no_sigmoid, everywhere>(rejected_then_accepted.view(), {}),
                 "b = torch.nn.Linear(activation_post_process_"));
  CHECK(contains(
      prepared<no_sigmoid, everywhere>(rejected_then_accepted.view(), semantics::torch_1_13),
      "b = torch.nn.Linear(s)"));
}

constexpr auto two_readers =
    model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
          "b"_n = nn::linear("x"_n, {.out_features = 4}), "c"_n = op::add("a"_n, "b"_n),
          "out"_n = nn::output("c"_n));
using narrow = qconfig<min_max_observer<{.reduce_range = true}>, weights>;
struct two_ranges : qconfig_mapping<global<usual>, module_name<"b", narrow>> {};

TEST_CASE("readers that ask for different ranges have different observers") {
  const auto ours = prepared<native, two_ranges>(two_readers.view(), {});
  CHECK(contains(ours, "a = torch.nn.Linear(activation_post_process_0)"));
  CHECK(!contains(ours, "b = torch.nn.Linear(activation_post_process_0)"));
  CHECK(contains(prepared<native, two_ranges>(two_readers.view(), semantics::torch_1_13),
                 "b = torch.nn.Linear(activation_post_process_0)"));
}

/// Only the fused module's own row, which says nothing of a root or a reference module, as in
/// PyTorch 1.13 where a later registration had overwritten it.
struct overwritten
    : backend_config<
          "overwritten",
          backend_pattern_config<
              pattern<nn::linear, nn::relu>,
              dtype_configs<dtype_config<input_dtype<dtype_with_constraints<quint8>>>>,
              fused_module<nni::linear_relu>>,
          backend_pattern_config<
              pattern<nni::linear_relu>,
              dtype_configs<dtype_config<input_dtype<dtype_with_constraints<quint8>>,
                                         output_dtype<dtype_with_constraints<quint8>>,
                                         weight_dtype<dtype_with_constraints<qint8>>>>>> {};

TEST_CASE("a row without a root module does not leave the weight in float") {
  constexpr auto net =
      model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
            "r"_n = nn::relu("a"_n), "out"_n = nn::output("r"_n));
  const auto weight_of = [&](semantics s) {
    const auto fused = fuse(net.view(), backend_v<overwritten>, {.semantics = s});
    const auto observed =
        prepare_graph(fused.view(), backend_v<overwritten>, mapping_v<everywhere>, skipping(s));
    const auto reference =
        convert_graph(observed.view(), backend_v<overwritten>, mapping_v<everywhere>,
                      {.semantics = s, .prepared = skipping(s)});
    return reference.view()[find(reference.view(), "a")].weight;
  };
  CHECK(weight_of(semantics::torch_2_1) == &mapping_v<everywhere>.entries[0].qconfig.weight);
  CHECK(weight_of(semantics::torch_1_13) == nullptr);
}

struct signed_backend
    : backend_config<
          "signed", backend_pattern_config<
                        pattern<nn::linear>,
                        dtype_configs<dtype_config<input_dtype<dtype_with_constraints<qint8>>,
                                                   output_dtype<dtype_with_constraints<qint8>>>>>> {
};

TEST_CASE("inputs and outputs of the model may be quantized to qint8") {
  constexpr int first[] = {0};
  const prepare_options options{
      .quantized_dtype = qint8,
      .custom = {.input_quantized_indexes = {first, 1}, .output_quantized_indexes = {first, 1}}};
  const auto fused = fuse(two_layers.view(), backend_v<signed_backend>);
  const auto observed =
      prepare_graph(fused.view(), backend_v<signed_backend>, mapping_v<signed_everywhere>, options);
  REQUIRE(!observed.problem.any());
  const auto reference = convert_graph(observed.view(), backend_v<signed_backend>,
                                       mapping_v<signed_everywhere>, {.prepared = options});
  const graph_view<stage::reference> g = reference.view();
  CHECK(g[0].dtype == qint8);
  CHECK(is_any_of(g[1].op, q::dequantize));
  CHECK(is_any_of(g.arg(g.size() - 1, 0).op, q::quantize_per_tensor));
}

}  // namespace
