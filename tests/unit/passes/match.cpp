// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/match.hpp"

#include <doctest/doctest.h>

#include <string>
#include <type_traits>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "graph_builder.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto any_config = [](const backend_pattern_config_record&) { return true; };

/// The config of the pattern that a node is part of, or -1.
template <class Backend>
constexpr int config_of(graph_view<stage::traced> g, std::string_view name) {
  const occurrences all = find_all(g, backend_v<Backend>, any_config);
  const int which = all.of_node[static_cast<std::size_t>(find(g, name))];
  return which < 0 ? -1 : all.found[static_cast<std::size_t>(which)].config;
}

template <auto... Op>
using entry = backend_pattern_config<pattern<Op...>>;

// ---- one model, one backend

struct chains
    : backend_config<"chains", entry<nn::conv2d>, entry<nn::relu>, entry<nn::conv2d, nn::relu>,
                     entry<nn::conv2d, nn::batch_norm2d, nn::relu>> {};

constexpr auto net = model("x"_n = nn::placeholder({1, 3, 8, 8}),
                           "conv1"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
                           "bn1"_n = nn::batch_norm2d("conv1"_n), "relu1"_n = nn::relu("bn1"_n),
                           "conv2"_n = nn::conv2d("relu1"_n, {.out_channels = 3, .kernel_size = 1}),
                           "relu2"_n = nn::relu("conv2"_n),
                           "conv3"_n = nn::conv2d("relu2"_n, {.out_channels = 3, .kernel_size = 1}),
                           "relu3"_n = nn::relu("conv3"_n), "add"_n = op::add("conv3"_n, "relu3"_n),
                           "fn"_n = fn::relu("add"_n), "out"_n = nn::output("fn"_n));

// Longer patterns are tried first, in whatever order the backend lists them.
static_assert(config_of<chains>(net.view(), "relu1") == 3);
static_assert(config_of<chains>(net.view(), "bn1") == 3);
static_assert(config_of<chains>(net.view(), "conv1") == 3);
static_assert(config_of<chains>(net.view(), "relu2") == 2 &&
              config_of<chains>(net.view(), "conv2") == 2);
// conv3 has two readers, so it is no inner node.
static_assert(config_of<chains>(net.view(), "relu3") == 1 &&
              config_of<chains>(net.view(), "conv3") == 0);
// What has no pattern; a function is not a module.
static_assert(config_of<chains>(net.view(), "add") == -1 &&
              config_of<chains>(net.view(), "fn") == -1);

// The nodes of an occurrence, the last one first; the root is where the weight is.
constexpr bool parts_are_told() {
  const occurrences all = find_all(net.view(), backend_v<chains>, any_config);
  const int k = all.of_node[2];
  return all.last(k) == 3 && all.part[all.found[k].first + 1] == 2 && all.root(k) == 1 &&
         all.found[k].count == 3;
}
static_assert(parts_are_told());

// wanted selects.
static_assert(find_all(net.view(), backend_v<chains>, [](const backend_pattern_config_record& c) {
                return c.pattern.element.size() == 2;
              }).count == 1);

// ---- ties keep the order of the backend

struct tie : backend_config<"tie", entry<nested<op::add, nn::relu, match_all>>,
                            entry<nested<op::add, match_all, nn::relu>>> {};
struct other_tie : backend_config<"tie", entry<nested<op::add, match_all, nn::conv2d>>,
                                  entry<nested<op::add, nn::relu, match_all>>> {};
constexpr auto two_relus =
    model("x"_n = nn::placeholder({1, 3, 8, 8}), "a"_n = nn::relu("x"_n), "b"_n = nn::relu("x"_n),
          "add"_n = op::add("a"_n, "b"_n), "out"_n = nn::output("add"_n));
static_assert(config_of<tie>(two_relus.view(), "add") == 0);
static_assert(config_of<other_tie>(two_relus.view(), "add") == 1);

// ---- trees

struct residual
    : backend_config<"residual",
                     entry<nested<nn::relu, nested<op::add, match_all,
                                                   nested<nn::batch_norm2d, nn::conv2d>>>>> {};
template <bool Swapped>
constexpr auto block = model("x"_n = nn::placeholder({1, 3, 8, 8}),
                             "conv"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
                             "bn"_n = nn::batch_norm2d("conv"_n),
                             "add"_n = Swapped ? op::add("bn"_n, "x"_n) : op::add("x"_n, "bn"_n),
                             "relu"_n = nn::relu("add"_n), "out"_n = nn::output("relu"_n));

// Both orders of the arguments of a commutative op.
static_assert(config_of<residual>(block<false>.view(), "conv") == 0);
static_assert(config_of<residual>(block<true>.view(), "conv") == 0);
// What match_all stands for is not part of the occurrence.
static_assert(config_of<residual>(block<false>.view(), "x") == -1);

static_assert(find_all(block<true>.view(), backend_v<residual>, any_config).root(0) == 1);

// The root is an op also where the tree ends with match_all.
struct match_all_last
    : backend_config<"match_all_last", entry<nested<op::add, nn::batch_norm2d, match_all>>> {};
static_assert(find_all(block<true>.view(), backend_v<match_all_last>, any_config).root(0) == 2);
static_assert(find_all(block<true>.view(), backend_v<match_all_last>, any_config).part[2] == ~0);

// A pattern says how many arguments an op has, where it says anything of them.
struct wrong_arity : backend_config<"wrong_arity", entry<nested<op::add, match_all>>,
                                    entry<nested<nn::relu, match_all, match_all>>> {};
static_assert(config_of<wrong_arity>(block<true>.view(), "add") == -1);
static_assert(config_of<wrong_arity>(block<true>.view(), "relu") == -1);

// cat is not commutative.
struct in_order : backend_config<"in_order", entry<nested<fn::cat, nn::relu, nn::conv2d>>> {};
constexpr auto cats = model(
    "x"_n = nn::placeholder({1, 3, 8, 8}), "a"_n = nn::relu("x"_n),
    "b"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}), "c"_n = nn::relu("x"_n),
    "d"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
    "ab"_n = fn::cat({"a"_n, "b"_n}, {.dim = 1}), "dc"_n = fn::cat({"d"_n, "c"_n}, {.dim = 1}),
    "add"_n = op::add("ab"_n, "dc"_n), "out"_n = nn::output("add"_n));
static_assert(config_of<in_order>(cats.view(), "ab") == 0);
static_assert(config_of<in_order>(cats.view(), "dc") == -1);

// Integers are not quantized.
struct sums : backend_config<"sums", entry<op::add>> {};
constexpr auto indices =
    model("i"_n = nn::placeholder({4}, i64), "next"_n = op::add("i"_n, 1),
          "row"_n = nn::embedding("next"_n, {.num_embeddings = 9, .embedding_dim = 2}),
          "sum"_n = op::add("row"_n, 1), "out"_n = nn::output("sum"_n));
static_assert(config_of<sums>(indices.view(), "next") == -1);
static_assert(config_of<sums>(indices.view(), "sum") == 0);

// Nor is what reads them.
struct sums_and_relu : backend_config<"sums_and_relu", entry<op::add, nn::relu>, entry<op::mul>> {};
constexpr auto read = model("i"_n = nn::placeholder({4}, i64), "x"_n = nn::placeholder({4}),
                            "next"_n = op::add("i"_n, 1), "relu"_n = nn::relu("next"_n),
                            "scaled"_n = op::mul("x"_n, "i"_n), "also"_n = op::mul("x"_n, "x"_n),
                            "out"_n = nn::output("relu"_n, "scaled"_n, "also"_n));
static_assert(config_of<sums_and_relu>(read.view(), "relu") == -1 &&
              config_of<sums_and_relu>(read.view(), "scaled") == -1 &&
              config_of<sums_and_relu>(read.view(), "also") == 1);

// ---- overlaps are decided in favour of the one nearest the output

struct pairs : backend_config<"pairs", entry<nn::relu, nn::relu>> {};
constexpr auto three = sequential({1, 4}, nn::relu(), nn::relu(), nn::relu());
static_assert(config_of<pairs>(three.view(), "2") == 0 && config_of<pairs>(three.view(), "1") == 0);
static_assert(config_of<pairs>(three.view(), "0") == -1);

// ---- edge cases

struct nothing : backend_config<"nothing"> {};
static_assert(find_all(net.view(), backend_v<nothing>, any_config).count == 0);
struct anything : backend_config<"anything", entry<match_all>> {};
static_assert(find_all(net.view(), backend_v<anything>, any_config).count == 0);

TEST_CASE("matching at run time finds what the compiler found") {
  constexpr auto compiled = [] {
    occurrences<std::remove_const_t<decltype(net)>> all;
    find_all(net, patterns_v<x86>, semantics{}, all);
    return all;
  }();
  graph_builder b;
  std::string_view v = b.placeholder({1, 3, 8, 8});
  const conv2d_options conv{.out_channels = 3, .kernel_size = 1};
  v = b.add("bn1", nn::batch_norm2d, {b.add("conv1", nn::conv2d, {v}, conv)});
  v = b.add("conv2", nn::conv2d, {b.add("relu1", nn::relu, {v})}, conv);
  v = b.add("conv3", nn::conv2d, {b.add("relu2", nn::relu, {v})}, conv);
  const auto relu = b.add("relu3", nn::relu, {v});
  b.output(b.add("fn", fn::relu, {b.add("add", op::add, {v, relu})}));
  const auto g = b.link();
  REQUIRE(!g.problem.any());
  const occurrences found = find_all(g.view(), backend_v<x86>, any_config);
  REQUIRE(found.count == compiled.count);
  for (int k = 0; k < found.count; ++k) {
    CHECK(found.found[k].config == compiled.found[k].config);
    CHECK(found.root(k) == compiled.root(k));
    REQUIRE(found.found[k].count == compiled.found[k].count);
    for (int e = found.found[k].first; e < found.found[k].first + found.found[k].count; ++e)
      CHECK(found.part[e] == compiled.part[e]);
  }
}

TEST_CASE("every pattern of a backend finds itself") {
  const backend_view backend = backend_v<x86>;
  for (int i = 0; i < backend.configs.size(); ++i) {
    dynamic_graph<stage::traced> g;
    const pattern_record& p = backend.configs[i].pattern;
    int last = g.add({.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
    for (int e = p.element.size(); e-- > 0;) {
      const int args[] = {last, last};
      last = g.add({.name = "n", .op = p.element[e].op}, args,
                   is_any_of(p.element[e].op, op::add, fn::add) ? 2 : 1);
    }
    const occurrences all = find_all(g.view(), backend, any_config);
    REQUIRE(all.count == 1);
    CHECK(all.found[0].config == i);
  }
}

}  // namespace
