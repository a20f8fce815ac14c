// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/convert.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include "ctq/backends/tensorrt.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"
#include "graphs.hpp"
#include "to_static.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

using everywhere =
    qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>>;

constexpr auto net = model(
    "x"_n = nn::placeholder({1, 2, 4, 4}), "pool"_n = nn::max_pool2d("x"_n, {.kernel_size = 2}),
    "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

constexpr dynamic_graph<stage::prepared> prepared() {
  return prepare_graph(fuse(net.view(), backend_v<x86>).view(), backend_v<x86>,
                       mapping_v<everywhere>);
}
constexpr dynamic_graph<stage::reference> converted() {
  return convert_graph(prepared().view(), backend_v<x86>, mapping_v<everywhere>);
}
constexpr auto static_copy = to_static<20, 20>(converted());
constexpr graph_view<stage::reference> g = static_copy.view();

/// The graph in which fc alone is quantized, with this class.
std::string with_quantized_fc(const std::string& type) {
  return "x = placeholder()\n"
         "pool = torch.nn.MaxPool2d(x)\n"
         "flat = torch.flatten(pool)\n"
         "quantize_per_tensor_0 = torch.quantize_per_tensor(flat) #0\n"
         "dequantize_0 = dequantize(quantize_per_tensor_0) #0\n"
         "fc = " +
         type +
         "(dequantize_0)\n"
         "quantize_per_tensor_1 = torch.quantize_per_tensor(fc) #1\n"
         "dequantize_1 = dequantize(quantize_per_tensor_1) #1\n"
         "out = output(dequantize_1)\n";
}

// Each of the four observers is two nodes now.
static_assert(prepared().nodes.size() == 9 && g.size() == 13);
static_assert(g.observers == prepared().observers);

// quantize gives the observer's dtype, dequantize and everything between them float32.
static_assert(g[1].op == q::quantize_per_tensor.id() && g[1].dtype == quint8);
static_assert(g[2].op == q::dequantize.id() && g[2].dtype == f32);
static_assert(g[3].op == nn::max_pool2d.id() && g[3].dtype == f32);
static_assert(g[1].shape == shape{1, 2, 4, 4} && g[2].shape == g[1].shape);
static_assert(g[1].observer == g[2].observer && g[1].observer == g[4].observer);  // shared

TEST_CASE("each observer becomes a quantize and a dequantize with its qparams") {
  CHECK(graphs::print(g) ==
        "x = placeholder()\n"
        "quantize_per_tensor_0 = torch.quantize_per_tensor(x) #0\n"
        "dequantize_0 = dequantize(quantize_per_tensor_0) #0\n"
        "pool = torch.nn.MaxPool2d(dequantize_0)\n"
        "quantize_per_tensor_1 = torch.quantize_per_tensor(pool) #0\n"
        "dequantize_1 = dequantize(quantize_per_tensor_1) #0\n"
        "flat = torch.flatten(dequantize_1)\n"
        "quantize_per_tensor_2 = torch.quantize_per_tensor(flat) #0\n"
        "dequantize_2 = dequantize(quantize_per_tensor_2) #0\n"
        "fc = torch.nn.Linear(dequantize_2)\n"
        "quantize_per_tensor_3 = torch.quantize_per_tensor(fc) #1\n"
        "dequantize_3 = dequantize(quantize_per_tensor_3) #1\n"
        "out = output(dequantize_3)\n");
}

TEST_CASE("converting at run time gives what the compiler gave") {
  graphs::check_equal(converted().view(), g);
}

TEST_CASE("a graph without observers stays as it is") {
  const auto none = prepare_graph(fuse(net.view(), backend_v<x86>).view(), backend_v<x86>,
                                  mapping_v<qconfig_mapping<>>);
  const auto same = convert_graph(none.view(), backend_v<x86>, mapping_v<qconfig_mapping<>>);
  CHECK(graphs::print(same.view()) == graphs::print(none.view()));
}

TEST_CASE("what convert's mapping leaves in float loses its observers, between such nodes") {
  using prepared_with = qconfig_mapping<
      global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>,
      object_type<nn::max_pool2d, qconfig<histogram_observer<>, per_channel_min_max_observer<>>>,
      object_type<fn::flatten, qconfig<histogram_observer<>, per_channel_min_max_observer<>>>>;
  using converted_with =
      qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>,
                      object_type<nn::max_pool2d, qconfig_none>,
                      object_type<fn::flatten, qconfig_none>>;
  const auto observed = prepare_graph(fuse(net.view(), backend_v<x86>).view(), backend_v<x86>,
                                      mapping_v<prepared_with>);
  const auto made = convert_graph(observed.view(), backend_v<x86>, mapping_v<prepared_with>,
                                  {.mapping = &mapping_v<converted_with>});
  REQUIRE(!made.problem.any());
  CHECK(graphs::print(made.view()) == with_quantized_fc("torch.nn.Linear"));
}

TEST_CASE("a node without an entry of convert's mapping stays in float") {
  using one = qconfig_mapping<
      object_type<nn::linear, qconfig<histogram_observer<>, per_channel_min_max_observer<>>>>;
  using none = qconfig_mapping<object_type<nn::linear, qconfig_none>>;
  const auto fused = fuse(net.view(), backend_v<x86>);
  const auto observed = prepare_graph(fused.view(), backend_v<x86>, mapping_v<one>);
  const auto made =
      convert_graph(observed.view(), backend_v<x86>, mapping_v<one>, {.mapping = &mapping_v<none>});
  REQUIRE(!made.problem.any());
  CHECK(graphs::print(made.view()) == graphs::print(fused.view()));
  CHECK(convert_graph(observed.view(), backend_v<x86>, mapping_v<one>, {.mapping = &mapping_v<one>})
            .view()
            .size() == fused.view().size() + 4);
}

TEST_CASE("an input that is quantized already is dequantized for what reads it in float") {
  static constexpr int first[] = {0};
  const prepare_options options{.custom = {.input_quantized_indexes = {first, 1}}};
  const auto observed = prepare_graph(fuse(net.view(), backend_v<x86>).view(), backend_v<x86>,
                                      mapping_v<qconfig_mapping<>>, options);
  const auto made = convert_graph(observed.view(), backend_v<x86>, mapping_v<qconfig_mapping<>>,
                                  {.prepared = options});
  CHECK(graphs::print(made.view()) ==
        "x = placeholder() #0\n"
        "dequantize_0 = dequantize(x) #0\n"
        "pool = torch.nn.MaxPool2d(dequantize_0)\n"
        "flat = torch.flatten(pool)\n"
        "fc = torch.nn.Linear(flat)\n"
        "out = output(fc)\n");
  CHECK(made.observers == 1);  // with that of the input
}

TEST_CASE("an input on integers of another dtype is quantized for what convert leaves in float") {
  static constexpr int first[] = {0};
  const prepare_options options{.custom = {.input_quantized_indexes = {first, 1}}};
  constexpr auto layer =
      model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
            "out"_n = nn::output("fc"_n));
  using signed_ones = qconfig_mapping<global<
      qconfig<histogram_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>,
              min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>>>;
  using none = qconfig_mapping<object_type<nn::linear, qconfig_none>>;
  const auto observed = prepare_graph(fuse(layer.view(), backend_v<tensorrt>).view(),
                                      backend_v<tensorrt>, mapping_v<signed_ones>, options);
  const auto made = convert_graph(observed.view(), backend_v<tensorrt>, mapping_v<signed_ones>,
                                  {.prepared = options, .mapping = &mapping_v<none>});
  const std::string text = graphs::print(made.view());
  CHECK(text.find("= torch.quantize_per_tensor(dequantize_") != std::string::npos);
  CHECK(text.find("fc = torch.nn.Linear(dequantize_") != std::string::npos);
}

TEST_CASE("a custom module without a quantized class stays observed, its output is quantized") {
  static constexpr op_info observed_class{op_kind::module, "ObservedLinear",
                                          nn::linear.id()->descriptor};
  static constexpr custom_module custom[] = {
      {.float_class = nn::linear.id(), .observed = &observed_class}};
  const prepare_options options{.custom = {.custom_modules = {custom, 1}}};
  using flat = qconfig_mapping<
      object_type<nn::linear, qconfig<histogram_observer<>, per_channel_min_max_observer<>>>>;
  const auto observed = prepare_graph(fuse(net.view(), backend_v<x86>).view(), backend_v<x86>,
                                      mapping_v<flat>, options);
  const auto made =
      convert_graph(observed.view(), backend_v<x86>, mapping_v<flat>, {.prepared = options});
  REQUIRE(!made.problem.any());
  CHECK(graphs::print(made.view()) == with_quantized_fc("ObservedLinear"));
}

TEST_CASE("a weight whose observer is for floats is not quantized") {
  using u8 = dtype_with_constraints<quint8>;
  struct any_weight
      : backend_config<"any_weight",
                       backend_pattern_config<
                           pattern<nn::linear>,
                           dtype_configs<dtype_config<input_dtype<u8>, output_dtype<u8>>>>> {};
  const auto weight_with = []<class Weight>(std::type_identity<Weight>) {
    using mapping = qconfig_mapping<object_type<nn::linear, qconfig<histogram_observer<>, Weight>>>;
    const auto observed = prepare_graph(fuse(net.view(), backend_v<any_weight>).view(),
                                        backend_v<any_weight>, mapping_v<mapping>);
    const auto made = convert_graph(observed.view(), backend_v<any_weight>, mapping_v<mapping>);
    return made.view()[find(made.view(), "fc")].weight;
  };
  CHECK(weight_with(std::type_identity<placeholder_observer<>>{}) == nullptr);
  CHECK(weight_with(std::type_identity<min_max_observer<{.dtype = qint8}>>{}) != nullptr);
}

TEST_CASE("the decomposed form quantizes to plain integers, dynamically in two steps") {
  const auto decomposed =
      convert_graph(prepared().view(), backend_v<x86>, mapping_v<everywhere>, {.decomposed = true});
  REQUIRE(decomposed.view().size() == g.size());
  CHECK(decomposed.view()[1].op == q::decomposed_quantize_per_tensor.id());
  CHECK(decomposed.view()[2].op == q::decomposed_dequantize_per_tensor.id());
  CHECK(decomposed.view()[1].observer_config->args.dtype == quint8);

  using dynamic = qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>,
                          min_max_observer<{.dtype = qint8}>>;
  struct mapping : qconfig_mapping<object_type<nn::linear, dynamic>> {};
  const auto fused = fuse(net.view(), backend_v<x86>);
  const auto observed = prepare_graph(fused.view(), backend_v<x86>, mapping_v<mapping>);
  CHECK(graphs::print(
            convert_graph(observed.view(), backend_v<x86>, mapping_v<mapping>, {.decomposed = true})
                .view()) ==
        "x = placeholder()\n"
        "pool = torch.nn.MaxPool2d(x)\n"
        "flat = torch.flatten(pool)\n"
        "choose_qparams_0 = quantized_decomposed.choose_qparams(flat) #0\n"
        "quantize_per_tensor_0 = quantized_decomposed.quantize_per_tensor(flat, choose_qparams_0) "
        "#0\n"
        "dequantize_0 = quantized_decomposed.dequantize_per_tensor(quantize_per_tensor_0, "
        "choose_qparams_0) #0\n"
        "fc = torch.nn.Linear(dequantize_0)\n"
        "out = output(fc)\n");
}

}  // namespace
