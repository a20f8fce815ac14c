// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/nested_model.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "ctq/backends/default_observers.hpp"
#include "ctq/backends/qnnpack.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

// A module that holds a module that holds a linear layer; each stands alone.
constexpr op_info outer{op_kind::module, "Outer"};
constexpr op_info inner{op_kind::module, "Inner"};

dynamic_graph<stage::traced> calls(const char* name, op_id op) {
  dynamic_graph<stage::traced> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  g.add({.name = name, .op = op}, 0);
  g.add({.name = "out", .op = nn::output.id()}, 1);
  return g;
}

using usual = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;
using other = qconfig<histogram_observer<>, per_channel_min_max_observer<>>;

constexpr mapping_view whole = mapping_v<qconfig_mapping<global<usual>>>;
constexpr mapping_view of_inner = mapping_v<qconfig_mapping<global<other>>>;
constexpr int first[] = {0};

int observers_of(const dynamic_graph<stage::prepared>& g, observer_class c) {
  int count = 0;
  for (const node& n : g.nodes)
    count += n.observer_config != nullptr && n.observer_config->type == c ? 1 : 0;
  return count;
}

TEST_CASE("modules that stand alone are prepared, converted and lowered by themselves") {
  const auto top = calls("a", &outer);
  const auto middle = calls("b", &inner);
  const auto bottom = calls("fc", nn::linear.id());
  const traced_model traced{top.view(), "", {{middle.view(), "a", {{bottom.view(), "b", {}}}}}};
  const standalone_module inside[] = {
      {.type = &inner,
       .mapping = &of_inner,
       .custom = {.input_quantized_indexes = {first, 1}, .output_quantized_indexes = {first, 1}}}};
  const standalone_module alone[] = {{.name = "a", .custom = {.standalone = {inside, 1}}}};
  nested_model m =
      prepare_model(traced, backend_v<x86>, whole, {.custom = {.standalone = {alone, 1}}});
  CHECK(!problem_of(m, &nested_model::prepared).any());
  REQUIRE(m.modules.size() == 1);
  nested_model& a = *m.modules[0];
  REQUIRE(a.modules.size() == 1);
  nested_model& b = *a.modules[0];
  // The qconfig of its node is that of a module without a mapping.
  REQUIRE(a.mapping.count == 1);
  CHECK(a.mapping.entries[0].qconfig == whole.entries[0].qconfig);
  CHECK(observers_of(a.prepared, observer_class::min_max) == 1);    // in front of b
  CHECK(observers_of(b.prepared, observer_class::histogram) == 1);  // behind fc
  CHECK(b.prepared.nodes[0].dtype == quint8);

  convert_model(m, backend_v<x86>);
  lower_model(m, {.only_with_kernels = false});
  REQUIRE(b.lowered.size() == 3);
  CHECK(b.lowered.nodes[1].op == nn::linear.id()->descriptor->integer_form);
  CHECK(a.lowered.nodes[1].op == q::quantize_per_tensor.id());
  CHECK(a.lowered.nodes[a.lowered.size() - 2].op == q::dequantize.id());
}

TEST_CASE("a module has the backend of its entry, and its problems are the model's") {
  const auto top = calls("a", &outer);
  const auto bottom = calls("fc", nn::linear.id());
  const traced_model traced{top.view(), "", {{bottom.view(), "a", {}}}};
  constexpr backend_view its = backend_v<qnnpack>;
  using symmetric =
      qconfig<min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>,
              per_channel_min_max_observer<>>;
  constexpr mapping_view mapping = mapping_v<qconfig_mapping<global<symmetric>>>;
  const standalone_module with_backend[] = {{.name = "a", .mapping = &mapping, .backend = &its}};
  const auto m =
      prepare_model(traced, backend_v<x86>, whole, {.custom = {.standalone = {with_backend, 1}}});
  CHECK(problem_of(m, &nested_model::prepared).any());  // its scales may be too small
  const std::string text(problem_of(m, &nested_model::prepared).message());
  CHECK(text.find("qnnpack") != std::string::npos);
}

// Classes of the user's: of one a backend says that it has the weight of a linear layer.
constexpr op_info own_layer{op_kind::module, "own.Layer"};
constexpr op_info own_plain{op_kind::module, "own.Plain"};
struct of_layer {
  static constexpr op_id id() { return &own_layer; }
};
struct of_plain {
  static constexpr op_id id() { return &own_plain; }
};
using u8 = dtype_with_constraints<quint8>;
using integers = dtype_configs<dtype_config<input_dtype<u8>, output_dtype<u8>>>;
template <auto Op, class... More>
using config_of = backend_pattern_config<pattern<Op>, integers, More...>;
using layer = config_of<of_layer{}, root_module<nn::linear>>;

struct around : backend_config<"around", config_of<nn::relu>,
                               config_of<nn::conv2d, root_module<nn::conv2d>>> {};
struct fewer : backend_config<"fewer", layer> {};
struct plain_second : backend_config<"plain_second", layer, config_of<of_plain{}>> {};
struct more : backend_config<"more", config_of<nn::relu>, config_of<nn::sigmoid>,
                             config_of<nn::tanh>, config_of<of_plain{}>, layer> {};

dynamic_graph<stage::traced> own_layers() {
  dynamic_graph<stage::traced> g;
  int last = g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  last = g.add({.name = "plain", .op = &own_plain}, last);
  last = g.add({.name = "layer", .op = &own_layer}, last);
  last = g.add({.name = "b", .op = &inner}, last);
  g.add({.name = "out", .op = nn::output.id()}, last);
  return g;
}

TEST_CASE("the numbers of patterns are those of the backend that a module is prepared with") {
  const auto top = calls("a", &outer);
  const auto middle = own_layers();
  const auto bottom = own_layers();
  const traced_model traced{top.view(), "", {{middle.view(), "a", {{bottom.view(), "b", {}}}}}};
  const auto converted = [&](const backend_view* of_a, const backend_view* of_b) {
    const standalone_module inside[] = {{.name = "b", .mapping = &whole, .backend = of_b}};
    const standalone_module alone[] = {
        {.name = "a", .mapping = &whole, .backend = of_a, .custom = {.standalone = {inside, 1}}}};
    nested_model m =
        prepare_model(traced, backend_v<around>, whole,
                      {.policy = unsupported::skip, .custom = {.standalone = {alone, 1}}});
    convert_model(m, backend_v<around>);
    return m;
  };
  const auto quantizes = [](const nested_model& m, const char* name) {
    return m.reference.view()[find(m.reference.view(), name)].weight != nullptr;
  };
  const backend_view backends[] = {backend_v<fewer>, backend_v<plain_second>, backend_v<more>};
  for (const backend_view& of_a : backends)
    for (const backend_view& of_b : backends) {
      const nested_model m = converted(&of_a, &of_b);
      const nested_model& a = *m.modules.at(0);
      const nested_model& b = *a.modules.at(0);
      CHECK(a.backend == of_a);
      CHECK(b.backend == of_b);
      CHECK((quantizes(a, "layer") && quantizes(b, "layer")));
      CHECK(!(quantizes(a, "plain") || quantizes(b, "plain")));
    }
  // Without a backend of its own, a module has that of the module around it.
  const nested_model inherits = converted(&backends[2], nullptr);
  CHECK(quantizes(*inherits.modules.at(0)->modules.at(0), "layer"));
}

TEST_CASE("PyTorch 1.13 converts modules to the reference modules of the model's backend") {
  const auto top = calls("a", &outer);
  const auto bottom = calls("fc", nn::linear.id());
  const traced_model traced{top.view(), "", {{bottom.view(), "a", {}}}};
  const backend_view its = backend_v<x86>;
  const standalone_module alone[] = {{.name = "a", .backend = &its}};
  const auto quantizes = [&](const backend_view& of_model, semantics s) {
    nested_model m = prepare_model(
        traced, of_model, whole,
        {.semantics = s, .policy = unsupported::skip, .custom = {.standalone = {alone, 1}}});
    convert_model(m, of_model, {.semantics = s});
    const auto& g = m.modules.at(0)->reference;
    return g.view()[find(g.view(), "fc")].weight != nullptr;
  };
  CHECK(!quantizes(backend_v<around>, semantics::torch_1_13));
  CHECK(quantizes(backend_v<qnnpack>, semantics::torch_1_13));
  CHECK(quantizes(backend_v<around>, semantics::torch_2_1));
}

TEST_CASE("prepare keeps the attributes that it shall, convert those of them that it shall") {
  const auto g = calls("fc", nn::linear.id());
  constexpr std::string_view by_prepare[] = {"tag", "limit", "missing"};
  constexpr std::string_view by_convert[] = {"tag", "other"};
  const traced_model traced{g.view(), "", {}, {"limit", "other", "tag"}};
  nested_model m = prepare_model(traced, backend_v<x86>, whole,
                                 {.custom = {.preserved_attributes = {by_prepare, 3}}});
  CHECK(m.attributes_prepared == std::vector<std::string_view>{"limit", "tag"});
  convert_model(m, backend_v<x86>, {.custom = {.preserved_attributes = {by_convert, 2}}});
  CHECK(m.attributes_converted == std::vector<std::string_view>{"tag"});
}

// ---- custom modules

constexpr op_info custom{op_kind::module, "Custom"};
constexpr op_info observed{op_kind::module, "Observed"};
constexpr op_info quantized{op_kind::module, "Quantized"};

nested_model with_custom(const custom_module& c, const mapping_view& mapping) {
  static dynamic_graph<stage::traced> g;
  static custom_module classes[1];
  g = calls("c", &custom);
  classes[0] = c;
  nested_model m = prepare_model({g.view()}, backend_v<x86>, mapping,
                                 {.custom = {.custom_modules = {classes, 1}}});
  convert_model(m, backend_v<x86>);
  return m;
}

TEST_CASE("a static custom module is observed, then reads and gives integers") {
  const auto m = with_custom({&custom, &observed, &quantized}, whole);
  REQUIRE(m.prepared.size() == 5);
  CHECK(m.prepared.nodes[2].op == &observed);
  REQUIRE(m.reference.size() == 5);
  CHECK(m.reference.nodes[1].op == q::quantize_per_tensor.id());
  CHECK(m.reference.nodes[2].op == &quantized);
  CHECK(m.reference.nodes[2].dtype == quint8);
  CHECK(m.reference.nodes[3].op == q::dequantize.id());
}

TEST_CASE("a dynamic custom module has its classes for dynamic qconfigs only") {
  using dynamic = qconfig<default_dynamic_quant_observer, per_channel_min_max_observer<>>;
  constexpr mapping_view mapping = mapping_v<qconfig_mapping<global<dynamic>>>;
  const custom_module c{&custom, &observed, &quantized, quant_type::dynamic};
  const auto m = with_custom(c, mapping);
  CHECK(m.reference.nodes[m.reference.size() - 2].op == &quantized);
  CHECK(m.reference.nodes[m.reference.size() - 2].dtype == f32);
  const auto bad = with_custom(c, whole);
  CHECK(bad.prepared.problem.message() ==
        "a custom module has no observed class\nfor the QConfig of its node\nnode: c");
}

TEST_CASE("without a quantized class an observed custom module stays in float") {
  const auto m = with_custom({&custom, &observed, nullptr}, whole);
  REQUIRE(m.reference.size() == 7);
  CHECK(m.reference.nodes[1].op == q::quantize_per_tensor.id());
  CHECK(m.reference.nodes[2].op == q::dequantize.id());
  CHECK(m.reference.nodes[3].op == &observed);
  CHECK(m.reference.nodes[3].dtype == f32);
  CHECK(m.reference.nodes[4].op == q::quantize_per_tensor.id());
  CHECK(m.reference.nodes[5].op == q::dequantize.id());
}

TEST_CASE("the config of convert is not that of standalone modules") {
  const auto top = calls("a", &outer);
  const auto middle = calls("c", &custom);
  const custom_module in_prepare[] = {{.float_class = &custom, .observed = &observed}};
  const custom_module in_convert[] = {{.observed = &observed, .quantized = &quantized}};
  const standalone_module alone[] = {{.name = "a", .custom = {.custom_modules = {in_prepare, 1}}}};
  nested_model m = prepare_model({top.view(), "", {{middle.view(), "a", {}}}}, backend_v<x86>,
                                 whole, {.custom = {.standalone = {alone, 1}}});
  convert_model(m, backend_v<x86>, {.custom = {.custom_modules = {in_convert, 1}}});
  const auto& inside = m.modules.at(0)->reference;
  REQUIRE(inside.size() == 7);
  CHECK(inside.nodes[3].op == &observed);
  CHECK(inside.nodes[3].dtype == f32);
}

TEST_CASE("without a qconfig a custom module stays what it is") {
  const auto m = with_custom({&custom, &observed, &quantized},
                             mapping_v<qconfig_mapping<global<qconfig_none>>>);
  CHECK(m.prepared.nodes[1].op == &custom);
  CHECK(m.reference.nodes[1].op == &custom);
}

}  // namespace
