// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<12>{"node conv1:"}
// expect: line<17>{"in_channels is 4"}
// expect: line<26>{"the input is [1, 3, 8, 8]"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net = ctq::model(
    "x"_n = nn::placeholder({1, 3, 8, 8}),
#ifdef CTQ_FIXED
    "conv1"_n = nn::conv2d("x"_n, {.in_channels = 3, .out_channels = 6, .kernel_size = 3}),
#else
    "conv1"_n = nn::conv2d("x"_n, {.in_channels = 4, .out_channels = 6, .kernel_size = 3}),
#endif
    "out"_n = nn::output("conv1"_n));

ctq::checked_model<net> checked;
