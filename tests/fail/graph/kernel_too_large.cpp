// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<12>{"node conv1:"}
// expect: line<29>{"kernel_size 9x9 does not fit"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net =
    ctq::model("x"_n = nn::placeholder({1, 3, 8, 8}),
#ifdef CTQ_FIXED
               "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 9, .padding = 1}),
#else
               "conv1"_n = nn::conv2d("x"_n, {.out_channels = 6, .kernel_size = 9}),
#endif
               "out"_n = nn::output("conv1"_n));

ctq::checked_model<net> checked;
