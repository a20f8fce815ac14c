// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<12>{"node conv1:"}
// expect: line<21>{"groups 2 must divide"}
// expect: in_channels 3 and out_channels 6

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net =
    ctq::model("x"_n = nn::placeholder({1, 3, 8, 8}),
#ifdef CTQ_FIXED
               "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 3, .groups = 3}),
#else
               "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 3, .groups = 2}),
#endif
               "out"_n = nn::output("conv1"_n));

ctq::checked_model<net> checked;
