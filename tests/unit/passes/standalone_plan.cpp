// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/standalone_plan.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/qnnpack.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/evaluate/nested_model.hpp"
#include "ctq/graph/module_of.hpp"
#include "graphs.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 8}), "relu"_n = nn::relu("x"_n),
          "fc"_n = nn::linear("relu"_n, {.out_features = 4}), "out"_n = nn::output("fc"_n));
inline constexpr auto inside =
    model("x"_n = nn::placeholder({1, 8}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "out"_n = nn::output("fc"_n));

struct everywhere
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {};
struct histograms
    : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>> {};
constexpr mapping_view its_mapping = mapping_v<histograms>;
constexpr backend_view its_backend = backend_v<qnnpack>;
constexpr int first[] = {0};

struct told : plan_options {
  static constexpr standalone_module modules[] = {
      {.name = "relu", .custom = {.output_quantized_indexes = {first, 1}}},
      {.type = nn::linear.id(),
       .mapping = &its_mapping,
       .backend = &its_backend,
       .custom = {.input_quantized_indexes = {first, 1}}}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 2}};
};
using around = graph_plan<net, x86, everywhere, unsupported::skip, told>;
using alone = standalone_plan<around, "fc", inside>;
static_assert(alone::backend.name == "qnnpack" && alone::mapping.entries == its_mapping.entries);
static_assert(alone::prepared.nodes[0].dtype == quint8);

// Without a mapping and a backend it has those of the model around it.
using inherits = standalone_plan<around, "relu", inside>;
static_assert(inherits::backend.name == "x86" && inherits::mapping.count == 1);
static_assert(inherits::mapping.entries[0].qconfig == mapping_v<everywhere>.entries[0].qconfig);

// Compiled code says in which module a problem is.
constexpr auto outer_model =
    model("x"_n = nn::placeholder({1, 8}), "a"_n = module_of<"A", inside>{}("x"_n),
          "out"_n = nn::output("a"_n));
constexpr auto outer_net =
    model("x"_n = nn::placeholder({1, 8}), "b"_n = module_of<"B", outer_model>{}("x"_n),
          "out"_n = nn::output("b"_n));
struct told_twice : plan_options {
  static constexpr standalone_module its[] = {{.name = "a"}};
  static constexpr standalone_module modules[] = {
      {.name = "b", .custom = {.standalone = {its, 1}}}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 1}};
  using standalone_models = ctq::standalone_models<standalone_model<"b", outer_model>>;
};
constexpr std::string_view problem_inside =
    plan_check<outer_net, x86, everywhere, unsupported::error, told_twice>::found.message();
static_assert(
    problem_inside.starts_with("compiled code needs the model of a\nstandalone module\nnode: a\n"));
static_assert(problem_inside.ends_with("\nin the standalone module b"));

TEST_CASE("a standalone module is planned by the compiler as by a program") {
  const traced_model traced{net.view(), "", {{inside.view(), "fc", {}}}};
  nested_model m = prepare_model(traced, backend_v<x86>, mapping_v<everywhere>,
                                 {.policy = unsupported::skip, .custom = told::prepare});
  convert_model(m, backend_v<x86>);
  lower_model(m);
  REQUIRE(m.modules.size() == 1);
  CHECK(graphs::difference(m.modules[0]->prepared.view(), alone::prepared.view()) == "");
  CHECK(graphs::difference(m.modules[0]->lowered.view(), alone::lowered.view()) == "");
}

// A custom module inside: with a quantized class of its own entry, or of the model's convert.
struct op_cell : module_op<op_cell> {
  static constexpr std::string_view name = "own.Cell";
  static float apply(float x) { return x; }
};
struct op_observed_cell : module_op<op_observed_cell> {
  static constexpr std::string_view name = "own.ObservedCell";
  static float apply(float x) { return x; }
};
struct op_quantized_cell : module_op<op_quantized_cell> {
  static constexpr std::string_view name = "own.QuantizedCell";
  static float apply(float x) { return x; }
};
constexpr op_cell cell{};
constexpr op_observed_cell observed_cell{};
constexpr op_quantized_cell quantized_cell{};
constexpr auto with_cell =
    model("x"_n = nn::placeholder({1, 4}), "c"_n = cell("x"_n), "out"_n = nn::output("c"_n));
constexpr module_of<"my.WithCell", with_cell> cell_block{};
constexpr auto around_cell =
    model("x"_n = nn::placeholder({1, 4}), "b"_n = cell_block("x"_n), "out"_n = nn::output("b"_n));

template <bool NamesQuantized>
struct told_of_cell : plan_options {
  static constexpr custom_module classes[] = {
      {.float_class = cell.id(),
       .observed = observed_cell.id(),
       .quantized = NamesQuantized ? quantized_cell.id() : nullptr}};
  static constexpr custom_module in_convert[] = {
      {.observed = observed_cell.id(), .quantized = quantized_cell.id()}};
  static constexpr standalone_module modules[] = {
      {.name = "b", .mapping = &its_mapping, .custom = {.custom_modules = {classes, 1}}}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 1}};
  static constexpr convert_custom_config convert{.custom_modules = {in_convert, 1}};
};

/// The class of the cell, converted by the compiler as by a program.
template <bool NamesQuantized>
op_id converted_cell() {
  constexpr auto skip = unsupported::skip;
  using its_told = told_of_cell<NamesQuantized>;
  using around = graph_plan<around_cell, x86, everywhere, skip, its_told>;
  using block = standalone_plan<around, "b", with_cell>;
  const traced_model traced{around_cell.view(), "", {{with_cell.view(), "b", {}}}};
  nested_model m = prepare_model(traced, backend_v<x86>, mapping_v<everywhere>,
                                 {.policy = skip, .custom = its_told::prepare});
  convert_model(m, backend_v<x86>, {.custom = its_told::convert});
  const nested_model& its = *m.modules.at(0);
  CHECK(graphs::difference(its.prepared.view(), block::prepared.view()) == "");
  CHECK(graphs::difference(its.reference.view(), block::reference.view()) == "");
  const graph_view<stage::reference> g = block::reference.view();
  return g[find(g, "c")].op;
}

TEST_CASE("a custom module in a standalone one has the quantized class of its own entry alone") {
  CHECK(converted_cell<true>() == quantized_cell.id());
  CHECK(converted_cell<false>() == observed_cell.id());
}

// Backends of their own: the outermost model's has no linear layers.
using u8 = dtype_with_constraints<quint8>;
struct no_layers
    : backend_config<
          "no_layers",
          backend_pattern_config<pattern<nn::relu>,
                                 dtype_configs<dtype_config<input_dtype<u8>, output_dtype<u8>>>>> {
};
constexpr backend_view of_inmost = backend_v<x86>;

template <semantics Release>
struct own_backends : plan_options {
  static constexpr auto semantics = Release;
  static constexpr standalone_module its[] = {
      {.name = "a", .mapping = &its_mapping, .backend = &of_inmost}};
  static constexpr standalone_module modules[] = {{.name = "b",
                                                   .mapping = &its_mapping,
                                                   .backend = &its_backend,
                                                   .custom = {.standalone = {its, 1}}}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 1}};
};

/// Whether the weight of the inmost layer is quantized, by the compiler as by a program.
template <semantics Release>
bool quantizes() {
  constexpr auto skip = unsupported::skip;
  using told_own = own_backends<Release>;
  using outermost = graph_plan<outer_net, no_layers, everywhere, skip, told_own>;
  using middle = standalone_plan<outermost, "b", outer_model>;
  using inmost = standalone_plan<middle, "a", inside>;

  const traced_model traced{
      outer_net.view(), "", {{outer_model.view(), "b", {{inside.view(), "a", {}}}}}};
  nested_model m =
      prepare_model(traced, backend_v<no_layers>, mapping_v<everywhere>,
                    {.semantics = Release, .policy = skip, .custom = told_own::prepare});
  convert_model(m, backend_v<no_layers>, {.semantics = Release});
  const nested_model& its = *m.modules.at(0)->modules.at(0);
  CHECK(graphs::difference(its.prepared.view(), inmost::prepared.view()) == "");
  CHECK(graphs::difference(its.reference.view(), inmost::reference.view()) == "");
  const graph_view<stage::reference> g = inmost::reference.view();
  return g[find(g, "fc")].weight != nullptr;
}

TEST_CASE("modules with backends of their own are converted by the compiler as by a program") {
  CHECK(quantizes<semantics::torch_2_1>());
  CHECK(!quantizes<semantics::torch_1_13>());
}

}  // namespace
