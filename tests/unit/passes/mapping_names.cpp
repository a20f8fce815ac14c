// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/mapping_names.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

inline constexpr auto net = model(
    "x"_n = nn::placeholder({1, 3, 8, 8}),
    "block.conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3}),
    "block.relu"_n = nn::relu("block.conv"_n),
    "pool"_n = nn::max_pool2d("block.relu"_n, {.kernel_size = 2}), "out"_n = nn::output("pool"_n));

template <class... Entry>
struct mapping : qconfig_mapping<Entry...> {};

template <class... Entry>
constexpr diagnostic check() {
  const dynamic_graph<stage::fused> fused = fuse(net.view(), backend_v<x86>);
  return check_mapping_names(net.view(), fused.view(), backend_v<x86>,
                             mapping_v<mapping<Entry...>>);
}

template <auto Op, int Order>
using order_in_block = module_name_object_type_order<"block", Op, Order, qconfig_none>;

static_assert(!check<>().any());
static_assert(!check<allow_float<"block.conv">, allow_float<"block">, allow_float<"pool">>().any());
// Levels that hold for whatever there is may hold for nothing.
static_assert(!check<global<qconfig_none>, object_type<nn::linear, qconfig_none>,
                     module_name_regex<"nothing", qconfig_none>>()
                   .any());

static_assert(check<allow_float<"pool">, allow_float<"pol">>().message() ==
              "a QConfigMapping entry has no effect:\n"
              "entry: #1 of 2, module_name\n"
              "no module of the model is named\npol");
static_assert(check<allow_float<"bloc">>().any());  // not a whole name
static_assert(check<allow_float<"block.relu">>().message() ==
              "a QConfigMapping entry has no effect:\n"
              "entry: #0 of 1, module_name\n"
              "block.relu is fused into block.conv\nuse that name instead");

// Inputs and outputs have no qconfig.
static_assert(check<allow_float<"x">>().message() ==
              "a QConfigMapping entry has no effect:\n"
              "entry: #0 of 1, module_name\n"
              "x is an input of the model,\nnot a module: name the node beside it");
static_assert(check<allow_float<"out">>().message() ==
              "a QConfigMapping entry has no effect:\n"
              "entry: #0 of 1, module_name\n"
              "out is the output of the model,\nnot a module: name the node beside it");

// Fusion comes first, as in PyTorch: the conv is a ConvReLU2d by then.
static_assert(!check<order_in_block<nni::conv_relu2d, 0>>().any());
static_assert(check<order_in_block<nni::conv_relu2d, 1>>().any());
static_assert(check<order_in_block<nn::conv2d, 0>>().message() ==
              "a QConfigMapping entry has no effect:\n"
              "entry: #0 of 1, module_name_object_type_order\n"
              "after fusion there are 0 nodes of\ntorch.nn.Conv2d\ndirectly in block");

}  // namespace
