// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/model.hpp"

#include <doctest/doctest.h>

#include <string>

#include "graph_builder.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto lenet = model(
    "x"_n = nn::placeholder({1, 1, 28, 28}),
    "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 5, .padding = 2}),
    "relu1"_n = nn::relu("conv1"_n), "pool1"_n = nn::max_pool2d("relu1"_n, {.kernel_size = 2}),
    "flat"_n = fn::flatten("pool1"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("fc"_n));

static_assert(!lenet.problem.any());
static_assert(lenet.count == 7 && lenet.arg_count == 6);
static_assert(lenet.nodes[1].name == "conv1" && lenet.nodes[1].op == nn::conv2d.id());
static_assert(lenet.view().arg(3, 0).name == "relu1");
static_assert(lenet.nodes[0].shape == shape{1, 1, 28, 28});
static_assert(lenet.nodes[3].shape == shape{1, 6, 14, 14});
static_assert(lenet.nodes[4].shape == shape{1, 1176});
static_assert(lenet.nodes[6].shape == shape{1, 10});
static_assert(lenet.nodes[5].attrs.as<linear_options>().in_features == 1176);  // completed
struct checked : checked_model<lenet> {};

// Edges are one flat list; a node may read a value twice.
constexpr auto branches = model(
    "x"_n = nn::placeholder({1, 2, 4, 4}), "a"_n = nn::relu("x"_n), "sum"_n = op::add("a"_n, "a"_n),
    "cat"_n = fn::cat({"x"_n, "a"_n, "sum"_n}, {.dim = 1}), "out"_n = nn::output("cat"_n));
static_assert(!branches.problem.any() && branches.arg_count == 7);
static_assert(branches.view().args_of(2)[0] == 1 && branches.view().args_of(2)[1] == 1);
static_assert(branches.nodes[3].shape == shape{1, 6, 4, 4});

// One layer after the other, named as torch.nn.Sequential names them.
constexpr auto mlp = sequential({1, 784}, nn::linear({.out_features = 128}), nn::relu(),
                                nn::linear({.out_features = 10}));
static_assert(!mlp.problem.any() && mlp.count == 5);
static_assert(mlp.nodes[0].name == "input" && mlp.nodes[0].op == nn::placeholder.id());
static_assert(mlp.nodes[1].name == "0" && mlp.nodes[2].name == "1" && mlp.nodes[3].name == "2");
static_assert(mlp.nodes[4].op == nn::output.id() && mlp.nodes[4].shape == shape{1, 10});
static_assert(!sequential({3}).problem.any());
static_assert(sequential({1, 2}, nn::relu(), nn::relu(), nn::relu(), nn::relu(), nn::relu(),
                         nn::relu(), nn::relu(), nn::relu(), nn::relu(), nn::relu(), nn::relu())
                  .nodes[11]
                  .name == "10");

// A mistake is kept in the constant.
constexpr auto typo =
    model("x"_n = nn::placeholder({1, 4}), "relu1"_n = nn::relu("x"_n),
          "fc"_n = nn::linear("rleu1"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));
static_assert(typo.problem.message() == "node fc:\nno earlier node is named\nrleu1");

constexpr auto later = model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::relu("b"_n),
                             "b"_n = nn::relu("x"_n), "out"_n = nn::output("b"_n));
static_assert(later.problem.message() == "node a:\nno earlier node is named\nb");

constexpr auto itself =
    model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::relu("a"_n), "out"_n = nn::output("a"_n));
static_assert(itself.problem.message() == "node a:\nno earlier node is named\na");

constexpr auto duplicate = model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::relu("x"_n),
                                 "a"_n = nn::relu("a"_n), "out"_n = nn::output("a"_n));
static_assert(duplicate.problem.message() == "two nodes are named\na");

// A module is called again under its name and a number.
constexpr auto twice =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "fc#2"_n = nn::linear("fc"_n, {.out_features = 4}), "out"_n = nn::output("fc#2"_n));
static_assert(!twice.problem.any() && path_of(twice.nodes[2]) == "fc");

constexpr auto without_first =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::relu("x"_n),
          "fc#2"_n = nn::linear("fc"_n, {.out_features = 4}), "out"_n = nn::output("fc#2"_n));
static_assert(without_first.problem.message() ==
              "node fc#2:\nno earlier torch.nn.Linear is named\nfc");

constexpr auto other_options =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "fc#2"_n = nn::linear("fc"_n, {.out_features = 4, .bias = false}),
          "out"_n = nn::output("fc#2"_n));
static_assert(other_options.problem.message() ==
              "node fc#2:\nit calls fc again, so its options\nand channels must be those of fc");
constexpr auto other_channels =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 3}),
          "fc#2"_n = nn::linear("fc"_n, {.out_features = 3}), "out"_n = nn::output("fc#2"_n));
static_assert(other_channels.problem.any());

constexpr auto no_output = model("x"_n = nn::placeholder({1, 4}), "a"_n = nn::relu("x"_n));
static_assert(no_output.problem.message() == "node a:\nthe last node must be nn::output");

constexpr auto early_output =
    model("x"_n = nn::placeholder({1, 4}), "out"_n = nn::output("x"_n), "a"_n = nn::relu("x"_n));
static_assert(early_output.problem.message() == "node out:\nnn::output comes last");

constexpr auto bad_shape = model("x"_n = nn::placeholder({1, 4}),
                                 "a"_n = nn::conv2d("x"_n, {.out_channels = 1, .kernel_size = 1}),
                                 "b"_n = nn::relu("c"_n), "out"_n = nn::output("a"_n));
static_assert(bad_shape.problem.message() ==
              "node a:\nrequires an input of 4 axes\nthe input is [1, 4]");  // the first mistake

static_assert(model().problem.message() == "the model has no node");

TEST_CASE("a model put together at run time equals the constant") {
  graph_builder b;
  const auto x = b.placeholder({1, 1, 28, 28});
  const auto conv =
      b.add("conv1", nn::conv2d, {x}, {.out_channels = 6, .kernel_size = 5, .padding = 2});
  const auto relu = b.add("relu1", nn::relu, {conv});
  const auto pool = b.add("pool1", nn::max_pool2d, {relu}, {.kernel_size = 2});
  const auto flat = b.add("flat", fn::flatten, {pool}, {.start_dim = 1});
  b.output(b.add("fc", nn::linear, {flat}, {.out_features = 10}));
  const auto linked = b.link();
  REQUIRE(!linked.problem.any());
  const graph_view<stage::traced> v = linked.view();
  REQUIRE(v.size() == lenet.count);
  for (int i = 0; i < v.size(); ++i) {
    const node& expected = lenet.nodes[static_cast<std::size_t>(i)];
    CHECK(v[i].name == expected.name);
    CHECK(v[i].op == expected.op);
    CHECK(v[i].attrs == expected.attrs);
    CHECK(v[i].shape == expected.shape);
    CHECK(v[i].first_arg == expected.first_arg);
    CHECK(v[i].arg_count == expected.arg_count);
  }
}

TEST_CASE("many names with much in common are all found") {
  graph_builder b;
  std::string_view last = b.placeholder({1, 8});
  for (int i = 0; i < 3000; ++i)
    last = b.add("layer" + std::to_string(i / 7) + '.' + std::to_string(i % 7) + ".relu", nn::relu,
                 {last});
  b.output(last);
  const auto g = b.link();
  REQUIRE(!g.problem.any());
  for (int i = 1; i < g.view().size(); ++i) CHECK(g.view().args_of(i)[0] == i - 1);
}

TEST_CASE("a mistake at run time has the same message") {
  graph_builder b;
  b.placeholder({1, 4});
  b.add("fc", nn::linear, {"rleu1"}, {.out_features = 2});
  b.output("fc");
  CHECK(std::string{b.link().problem.message()} == "node fc:\nno earlier node is named\nrleu1");
}

}  // namespace
