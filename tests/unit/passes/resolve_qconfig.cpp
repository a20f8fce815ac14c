// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/resolve_qconfig.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/fuse.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "stem"_n = nn::linear("x"_n, {.out_features = 4}),
          "layer1.0.fc1"_n = nn::linear("stem"_n, {.out_features = 4}),
          "layer1.0.relu"_n = nn::relu("layer1.0.fc1"_n),
          "layer1.0.fc2"_n = nn::linear("layer1.0.relu"_n, {.out_features = 4}),
          "layer1.0.add"_n = op::add("layer1.0.fc2"_n, "stem"_n),
          "layer1.0.relu_"_n = fn::relu("layer1.0.add"_n),
          "layer10.fc"_n = nn::linear("layer1.0.relu_"_n, {.out_features = 4}),
          "add"_n = op::add("layer10.fc"_n, "stem"_n), "out"_n = nn::output("add"_n));

using any = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;

/// The entry of the mapping that holds for a node, or -1.
template <class... Entry>
constexpr int entry_of(std::string_view name) {
  const list<int> entries = resolve_qconfigs(net.view(), mapping_v<qconfig_mapping<Entry...>>);
  return entries[static_cast<std::size_t>(find(net.view(), name))];
}

// ---- each level alone

static_assert(entry_of<>("stem") == -1);
static_assert(entry_of<global<any>>("stem") == 0 && entry_of<global<any>>("add") == 0);
// Placeholders and outputs have none.
static_assert(entry_of<global<any>>("x") == -1 && entry_of<global<any>>("out") == -1);

static_assert(entry_of<object_type<nn::linear, any>>("stem") == 0);
static_assert(entry_of<object_type<nn::linear, any>>("add") == -1);
static_assert(entry_of<object_type<fn::relu, any>>("layer1.0.relu") ==
              -1);  // a module is no function
static_assert(entry_of<object_type<fn::relu, any>>("layer1.0.relu_") == 0);

static_assert(entry_of<module_name_regex<R"(layer\d)", any>>("layer1.0.fc1") == 0);
static_assert(entry_of<module_name_regex<R"(layer\d)", any>>("layer10.fc") == 0);
static_assert(entry_of<module_name_regex<R"(layer\d\.)", any>>("layer10.fc") == -1);
static_assert(entry_of<module_name_regex<"fc", any>>("layer10.fc") == -1);  // not a search

static_assert(entry_of<module_name<"stem", any>>("stem") == 0);
static_assert(entry_of<module_name<"layer1", any>>("layer10.fc") == -1);  // a name, not a prefix

// ---- names: the module itself, else the nearest one around it

template <class... Entry>
constexpr int names_of(std::string_view name) {
  return entry_of<module_name<"layer1", any>, module_name<"layer1.0", any>,
                  module_name<"layer1.0.fc1", any>, Entry...>(name);
}
static_assert(names_of<>("layer1.0.fc1") == 2);
static_assert(names_of<>("layer1.0.fc2") == 1);
static_assert(entry_of<module_name<"layer1", any>>("layer1.0.fc2") == 0);
// A function belongs to the module that its name is inside of. Beyond PyTorch, its own name counts.
static_assert(names_of<>("layer1.0.add") == 1);
static_assert(entry_of<module_name<"layer1.0.add", any>>("layer1.0.add") == 0);
static_assert(entry_of<module_name<"layer1.0.add", any>>("layer1.0.fc1") == -1);
static_assert(entry_of<module_name<"add", any>>("add") == 0);
// The empty name is no module.
static_assert(entry_of<module_name<"", any>>("add") == -1 &&
              entry_of<module_name<"", any>>("stem") == -1);

// ---- regular expressions: the first that fits; setting one again changes what it gives

static_assert(entry_of<module_name_regex<"layer", any>, module_name_regex<".*fc1", any>>(
                  "layer1.0.fc1") == 0);
static_assert(entry_of<module_name_regex<".*fc1", any>, module_name_regex<"layer", any>>(
                  "layer1.0.fc1") == 0);
static_assert(entry_of<module_name_regex<".*fc9", any>, module_name_regex<"layer", any>>(
                  "layer1.0.fc1") == 1);
static_assert(entry_of<module_name_regex<"layer", any>, module_name_regex<".*fc1", any>,
                       module_name_regex<"layer", qconfig_none>>("layer1.0.fc1") == 2);
// A function is asked for by the name of the module around it: at the top that is nothing.
static_assert(entry_of<module_name_regex<"layer1", any>>("layer1.0.add") == 0);
static_assert(entry_of<module_name_regex<".*", any>>("add") == 0);
static_assert(entry_of<module_name_regex<".+", any>>("add") == -1);

// ---- the order of an op in its module

template <int Order>
using second = module_name_object_type_order<"layer1.0", nn::linear, Order, any>;
static_assert(entry_of<second<0>>("layer1.0.fc1") == 0 &&
              entry_of<second<0>>("layer1.0.fc2") == -1);
static_assert(entry_of<second<1>>("layer1.0.fc2") == 0 &&
              entry_of<second<1>>("layer1.0.fc1") == -1);
static_assert(entry_of<second<2>>("layer1.0.fc2") == -1);
static_assert(entry_of<second<0>>("stem") == -1);
static_assert(entry_of<module_name_object_type_order<"", op::add, 0, any>>("add") == 0);
static_assert(entry_of<module_name_object_type_order<"", nn::linear, 0, any>>("stem") == 0);
static_assert(
    entry_of<module_name_object_type_order<"layer1.0", op::add, 0, any>>("layer1.0.add") == 0);

// ---- from weak to strong: global, type, expression, name, order

using g = global<any>;
using t = object_type<nn::linear, any>;
using r = module_name_regex<"layer1", any>;
using n = module_name<"layer1.0", any>;
using o = module_name_object_type_order<"layer1.0", nn::linear, 0, any>;
static_assert(entry_of<o, n, r, t, g>("layer1.0.fc1") == 0);
static_assert(entry_of<o, n, r, t, g>("layer1.0.fc2") == 1);
static_assert(entry_of<n, r, t, g>("layer1.0.fc1") == 0);
static_assert(entry_of<r, t, g>("layer1.0.fc1") == 0);
static_assert(entry_of<t, g>("layer1.0.fc1") == 0);
static_assert(entry_of<g, t, r, n, o>("layer1.0.fc1") == 4);
static_assert(entry_of<g, t, r, n, o>("layer1.0.fc2") == 3);
static_assert(entry_of<g, t, r, n, o>("layer10.fc") == 2);
static_assert(entry_of<g, t, r, n, o>("stem") == 1);
static_assert(entry_of<g, t, r, n, o>("add") == 0);
// The name of a module far around beats an expression for the node itself.
static_assert(entry_of<module_name<"layer1", any>, module_name_regex<R"(layer1\.0\.fc1)", any>>(
                  "layer1.0.fc1") == 0);

// ---- of two entries for one thing the later wins

static_assert(entry_of<g, global<qconfig_none>>("stem") == 1);
static_assert(entry_of<t, object_type<nn::linear, qconfig_none>>("stem") == 1);
static_assert(entry_of<n, module_name<"layer1.0", qconfig_none>>("layer1.0.fc1") == 1);
static_assert(entry_of<o, module_name_object_type_order<"layer1.0", nn::linear, 0, qconfig_none>>(
                  "layer1.0.fc1") == 1);

// ---- fused modules are asked for by their own type, else by that of their root

constexpr dynamic_graph<stage::fused> fused_graph() {
  dynamic_graph<stage::fused> f;
  f.add({.name = "conv1", .op = nni::conv_relu2d.id()}, nullptr, 0);
  f.add({.name = "fc", .op = nni::linear_relu.id()}, nullptr, 0);
  return f;
}
template <class... Entry>
constexpr int fused_entry(std::size_t i) {
  return resolve_qconfigs(fused_graph().view(), mapping_v<qconfig_mapping<Entry...>>)[i];
}
static_assert(fused_entry<object_type<nn::conv2d, any>>(0) == 0);
static_assert(fused_entry<object_type<nn::linear, any>>(1) == 0);
static_assert(fused_entry<object_type<nn::relu, any>>(0) == -1);
static_assert(
    fused_entry<object_type<nni::conv_relu2d, any>, object_type<nn::conv2d, qconfig_none>>(0) == 0);

TEST_CASE("PyTorch 1.13 asks for the type of a fused module's first part before its own") {
  const dynamic_graph<stage::fused> f = fused_graph();
  const auto entry = [&f](const mapping_view& m, semantics s) {
    return resolve_qconfigs(f.view(), m, s)[0];
  };
  using both = qconfig_mapping<object_type<nni::conv_relu2d, any>, object_type<nn::conv2d, any>>;
  CHECK(entry(mapping_v<both>, semantics::torch_1_13) == 1);
  CHECK(entry(mapping_v<both>, semantics::torch_2_1) == 0);
  using none =
      qconfig_mapping<object_type<nni::conv_relu2d, any>, object_type<nn::conv2d, qconfig_none>>;
  CHECK(entry(mapping_v<none>, semantics::torch_1_13) == 0);
}

TEST_CASE("a fused module counts among those of its first type") {
  static constexpr auto net =
      model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::linear("x"_n, {.out_features = 4}),
            "r"_n = nn::relu("a"_n), "b"_n = nn::linear("r"_n, {.out_features = 4}),
            "out"_n = nn::output("b"_n));
  const auto fused = fuse(net.view(), backend_v<x86>);
  REQUIRE(fused.view()[1].op == nni::linear_relu.id());
  const auto entries = [&]<int Order>() {
    struct mapping : qconfig_mapping<module_name_object_type_order<"", nn::linear, Order, any>> {};
    return resolve_qconfigs(fused.view(), mapping_v<mapping>);
  };
  CHECK(entries.template operator()<0>()[1] == 0);
  CHECK(entries.template operator()<0>()[2] == -1);
  CHECK(entries.template operator()<1>()[1] == -1);
  CHECK(entries.template operator()<1>()[2] == 0);
}

TEST_CASE("the order among calls of a method counts, but not in PyTorch 1.13") {
  constexpr auto relus = model("x"_n = nn::placeholder({1, 4}), "a"_n = method::relu("x"_n),
                               "b"_n = method::relu("a"_n), "out"_n = nn::output("b"_n));
  using second_relu = qconfig_mapping<module_name_object_type_order<"", method::relu, 1, any>>;
  CHECK(resolve_qconfigs(relus.view(), mapping_v<second_relu>)[2] == 0);
  CHECK(resolve_qconfigs(relus.view(), mapping_v<second_relu>, semantics::torch_1_13)[2] == -1);
}

TEST_CASE("the entries are the same at run time") {
  using mapping = qconfig_mapping<g, t, r, n, o>;
  constexpr auto compiled = [] {
    std::array<int, static_cast<std::size_t>(net.count)> out{};
    const list<int> entries = resolve_qconfigs(net.view(), mapping_v<mapping>);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = entries[i];
    return out;
  }();
  const list<int> entries = resolve_qconfigs(net.view(), mapping_v<mapping>);
  REQUIRE(entries.size() == compiled.size());
  for (std::size_t i = 0; i < compiled.size(); ++i) CHECK(entries[i] == compiled[i]);
}

// ---- the class of the module around a function or method goes before its own

constexpr op_info block{op_kind::module, "Block"};
constexpr fx_row in_block{.scope = "b", .scope_type = &block};

template <class QConfig, int Order>
constexpr mapping_entry for_block{mapping_level::object_type, &block,        {}, Order,
                                  QConfig::quantizes,         QConfig::value};

TEST_CASE("the class of the module around a function decides before that of the function") {
  dynamic_graph<stage::traced> g;
  g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  g.add({.name = "f", .op = fn::relu.id(), .row = &in_block}, 0);
  g.add({.name = "b.m", .op = nn::relu.id(), .row = &in_block}, 1);
  const mapping_entry entries[] = {global<any>::value, object_type<fn::relu, any>::value,
                                   for_block<qconfig_none, 0>};
  const list<int> with = resolve_qconfigs(g.view(), {entries, 3});
  CHECK(with[1] == 2);
  CHECK(with[2] == 0);  // of a module its own class
  CHECK(resolve_qconfigs(g.view(), {entries, 2})[1] == 1);
}

}  // namespace
