// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ctq/backends/x86.hpp>
#include <ctq/passes/plan.hpp>

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace fn = ctq::fn;

inline constexpr auto net = ctq::model(
    "x"_n = nn::placeholder({1, 3, 12, 12}),
    "conv"_n = nn::conv2d("x"_n, {.out_channels = 20, .kernel_size = 3, .padding = 1}),
    "relu"_n = nn::relu("conv"_n), "pool"_n = nn::max_pool2d("relu"_n, {.kernel_size = 2}),
    "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("fc"_n));

struct int8
    : ctq::qconfig_mapping<
          ctq::global<ctq::qconfig<ctq::min_max_observer<>, ctq::per_channel_min_max_observer<>>>> {
};

using net_plan = ctq::plan<net, ctq::x86, int8>;
