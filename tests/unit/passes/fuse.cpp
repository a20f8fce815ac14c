// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/fuse.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "graph_builder.hpp"
#include "graphs.hpp"
#include "to_static.hpp"
#include "user_ops.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({1, 3, 8, 8}),
          "conv1"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3}),
          "bn1"_n = nn::batch_norm2d("conv1"_n, {.eps = 1e-3F}), "relu1"_n = nn::relu("bn1"_n),
          "conv2"_n = nn::conv2d("relu1"_n, {.out_channels = 4, .kernel_size = 1}),
          "bn2"_n = nn::batch_norm2d("conv2"_n), "add"_n = op::add("bn2"_n, "relu1"_n),
          "relu2"_n = nn::relu("add"_n), "pool"_n = nn::adaptive_avg_pool2d("relu2"_n),
          "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
          "fc1"_n = nn::linear("flat"_n, {.out_features = 8}), "relu3"_n = fn::relu("fc1"_n),
          "fc2"_n = nn::linear("relu3"_n, {.out_features = 2}), "out"_n = nn::output("fc2"_n));

constexpr auto fused = to_static<net.max_nodes, net.max_args>(fuse(net.view(), backend_v<x86>));
constexpr graph_view<stage::fused> g = fused.view();

constexpr const node& at(std::string_view name) { return g[find(g, name)]; }

// A fused node has the name of the module that owns the weight, and the last node's place.
static_assert(g.size() == 10);
static_assert(at("conv1").op == nni::conv_relu2d.id() && at("conv1").shape == shape{1, 4, 6, 6});
static_assert(at("conv1").attrs == net.nodes[1].attrs);
static_assert(at("fc1").op == nni::linear_relu.id());
static_assert(at("fc2").op == nn::linear.id());
static_assert(find(g, "relu1") < 0 && find(g, "bn1") < 0 && find(g, "relu3") < 0);

// A batch norm leaves its name and its eps.
static_assert(at("conv1").batch_norm == "bn1" && at("conv1").batch_norm_eps == 1e-3F);
static_assert(at("conv2").op == nn::conv2d.id());  // no relu behind it: a plain conv
static_assert(at("conv2").batch_norm == "bn2" && at("conv2").batch_norm_eps == 1e-5F);
static_assert(at("fc1").batch_norm.empty());

// add and relu are not fused here: PyTorch quantizes them together, later.
static_assert(at("add").op == op::add.id() && at("relu2").op == nn::relu.id());
static_assert(g.arg(find(g, "add"), 0).name == "conv2" && g.arg(find(g, "add"), 1).name == "conv1");
static_assert(g.arg(find(g, "fc2"), 0).name == "fc1");

// A value inside that someone else reads cannot disappear.
constexpr auto read_twice =
    model("x"_n = nn::placeholder({1, 3, 8, 8}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 3, .kernel_size = 1}),
          "bn"_n = nn::batch_norm2d("conv"_n), "relu"_n = nn::relu("bn"_n),
          "add"_n = op::add("bn"_n, "relu"_n), "out"_n = nn::output("add"_n));
constexpr auto kept = to_static<6, 6>(fuse(read_twice.view(), backend_v<x86>));
static_assert(kept.count == 5);  // conv and bn only
static_assert(kept.nodes[1].op == nn::conv2d.id() && kept.nodes[1].batch_norm == "bn");
static_assert(kept.nodes[2].op == nn::relu.id());

// Without patterns to fuse nothing changes.
struct no_fusion
    : backend_config<"no_fusion", backend_pattern_config<pattern<nn::conv2d, nn::relu>>> {};
static_assert(fuse(net.view(), backend_v<no_fusion>).nodes.size() == 14);

// A module called a second time is another node: fusing one leaves the other as it is.
struct only_module
    : backend_config<"only_module", backend_pattern_config<pattern<nn::linear, nn::relu>,
                                                           fused_module<nni::linear_relu>>> {};
constexpr auto twice = sequential({1, 4}, nn::linear({.out_features = 4}), nn::relu(),
                                  nn::linear({.out_features = 4}));
constexpr auto once = to_static<5, 4>(fuse(twice.view(), backend_v<only_module>));
static_assert(once.nodes[1].op == nni::linear_relu.id() && once.nodes[2].op == nn::linear.id());

// A tree: the fused node reads what its root reads, and the extra input, in whichever order the add
// has its arguments.
struct with_tree
    : backend_config<"with_tree",
                     backend_pattern_config<pattern<nested<op::add, match_all, own::swish>>,
                                            fused_module<own::add_swish>, root_node_getter<path<2>>,
                                            extra_inputs_getter<path<1>>>> {};
constexpr auto added = model("x"_n = nn::placeholder({1, 4}), "y"_n = nn::relu("x"_n),
                             "s"_n = own::swish("x"_n, {.beta = 2.0F}),
                             "sum"_n = op::add("s"_n, "y"_n), "t"_n = own::swish("sum"_n),
                             "last"_n = op::add("y"_n, "t"_n), "out"_n = nn::output("last"_n));
constexpr auto trees = to_static<7, 9>(fuse(added.view(), backend_v<with_tree>));

TEST_CASE("a tree is fused with its extra inputs, in both orders of an add") {
  CHECK(graphs::print(trees.view()) ==
        "x = placeholder()\n"
        "y = torch.nn.ReLU(x)\n"
        "s = own.add_swish(x, y)\n"
        "t = own.add_swish(s, y)\n"
        "out = output(t)\n");
  CHECK(trees.view()[2].attrs.as<own::swish_options>().beta == 2.0F);
  const list<int> into = fused_into(added.view(), backend_v<with_tree>);
  CHECK(added.view()[into[find(added.view(), "sum")]].name == "s");
  CHECK(added.view()[into[find(added.view(), "last")]].name == "t");
  CHECK(added.view()[into[find(added.view(), "y")]].name == "y");
}

TEST_CASE("an extra input that has moved is found at its new place") {
  constexpr auto two =
      model("x"_n = nn::placeholder({1, 4}), "y"_n = nn::relu("x"_n), "s"_n = own::swish("x"_n),
            "sum"_n = op::add("y"_n, "s"_n), "z"_n = nn::relu("sum"_n), "t"_n = own::swish("sum"_n),
            "end"_n = op::add("z"_n, "t"_n), "out"_n = nn::output("end"_n));
  CHECK(graphs::print(fuse(two.view(), backend_v<with_tree>).view()) ==
        "x = placeholder()\n"
        "y = torch.nn.ReLU(x)\n"
        "s = own.add_swish(x, y)\n"
        "z = torch.nn.ReLU(s)\n"
        "t = own.add_swish(s, z)\n"
        "out = output(t)\n");
}

// A fused node has the shape of what it replaces.
struct flat_pool
    : backend_config<"flat_pool", backend_pattern_config<pattern<nn::max_pool2d, fn::flatten>,
                                                         fused_module<own::add_swish>>> {};
constexpr auto pooled = model(
    "x"_n = nn::placeholder({1, 3, 4, 4}), "pool"_n = nn::max_pool2d("x"_n, {.kernel_size = 2}),
    "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}), "out"_n = nn::output("flat"_n));
constexpr auto flat = to_static<4, 3>(fuse(pooled.view(), backend_v<flat_pool>));
static_assert(flat.count == 3 && flat.nodes[1].name == "pool" &&
              flat.nodes[1].shape == shape{1, 12});

// A batch norm of axis 1 is folded into a linear layer only if that is the axis of its outputs.
template <auto... Extent>
constexpr auto linear_norm = model("x"_n = nn::placeholder({Extent...}),
                                   "fc"_n = nn::linear("x"_n, {.out_features = 6}),
                                   "bn"_n = nn::batch_norm1d("fc"_n), "out"_n = nn::output("bn"_n));
static_assert(fuse(linear_norm<2, 5>.view(), backend_v<x86>).nodes.size() == 3);
static_assert(fuse(linear_norm<2, 6, 5>.view(), backend_v<x86>).nodes.size() == 4);

// A fuser that can make nothing of the root leaves the pattern as it is.
struct odd_fuser
    : backend_config<"odd_fuser", backend_pattern_config<pattern<nn::linear, nn::relu>,
                                                         fuser_method<fuse_conv_bn_relu>>> {};
static_assert(fuse(twice.view(), backend_v<odd_fuser>).nodes.size() == 5);

// A batch norm that is the root is folded into nothing.
constexpr auto norm = model("x"_n = nn::placeholder({1, 3, 4, 4}), "bn"_n = nn::batch_norm2d("x"_n),
                            "relu"_n = nn::relu("bn"_n), "out"_n = nn::output("relu"_n));
constexpr auto bn_relu = to_static<4, 3>(fuse(norm.view(), backend_v<x86>));
static_assert(bn_relu.count == 3 && bn_relu.nodes[1].op == nni::bn_relu2d.id());
static_assert(bn_relu.nodes[1].name == "bn" && bn_relu.nodes[1].batch_norm.empty());

TEST_CASE("fusing at run time gives what the compiler gave") {
  const dynamic_graph<stage::fused> again = fuse(net.view(), backend_v<x86>);
  graphs::check_equal(again.view(), g);
}

TEST_CASE("a fused graph reads as the model without the parts") {
  CHECK(graphs::print(g) ==
        "x = placeholder()\n"
        "conv1 = torch.ao.nn.intrinsic.ConvReLU2d(x)\n"
        "conv2 = torch.nn.Conv2d(conv1)\n"
        "add = _operator.add(conv2, conv1)\n"
        "relu2 = torch.nn.ReLU(add)\n"
        "pool = torch.nn.AdaptiveAvgPool2d(relu2)\n"
        "flat = torch.flatten(pool)\n"
        "fc1 = torch.ao.nn.intrinsic.LinearReLU(flat)\n"
        "fc2 = torch.nn.Linear(fc1)\n"
        "out = output(fc2)\n");
}

TEST_CASE("a conv whose batch norm comes first is not folded") {
  graph_builder b;
  auto v = b.placeholder({1, 3, 8, 8});
  v = b.add("bn", nn::batch_norm2d, {v});
  v = b.add("conv", nn::conv2d, {v}, {.out_channels = 3, .kernel_size = 1});
  b.output(v);
  const auto linked = b.link();
  CHECK(fuse(linked.view(), backend_v<x86>).nodes.size() == 4);
}

}  // namespace
