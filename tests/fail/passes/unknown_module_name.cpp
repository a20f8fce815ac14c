// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a QConfigMapping entry has no effect: entry: #1 of 2, module_name
// expect: relu is fused into conv use that name instead

#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4, 8, 8}),
          "conv"_n = nn::conv2d("x"_n, {.out_channels = 4, .kernel_size = 3}),
          "relu"_n = nn::relu("conv"_n), "out"_n = nn::output("relu"_n));

struct int8 : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>,
#ifdef CTQ_FIXED
                              allow_float<"conv">
#else
                              allow_float<"relu">
#endif
                              > {
};

plan<net, x86, int8> planned;
