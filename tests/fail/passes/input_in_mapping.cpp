// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: a QConfigMapping entry has no effect: entry: #1 of 2, module_name
// expect: x is an input of the model, not a module: name the node beside it

#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net = model("x"_n = nn::placeholder({1, 4}), "relu"_n = nn::relu("x"_n),
                                  "out"_n = nn::output("relu"_n));

struct int8 : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>,
#ifdef CTQ_FIXED
                              allow_float<"relu">
#else
                              allow_float<"x">
#endif
                              > {
};

plan<net, x86, int8> planned;
