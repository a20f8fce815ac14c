// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<12>{"node conv1:"}
// expect: more than 2^31 - 1 elements in the output [1, 64, 8192, 8192]

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;

inline constexpr auto net =
    ctq::model("x"_n = nn::placeholder({1, 3, 8192, 8192}),
#ifdef CTQ_FIXED
               "conv1"_n = nn::conv2d("x"_n, {.out_channels = 16, .kernel_size = 1}),
#else
               "conv1"_n = nn::conv2d("x"_n, {.out_channels = 64, .kernel_size = 1}),
#endif
               "out"_n = nn::output("conv1"_n));

ctq::checked_model<net> checked;
