// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: compiled code needs a scale for each output, or one for all; node fc
// expect: has ch_axis 1: set it to 0

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "out"_n = nn::output("fc"_n));

#ifdef CTQ_FIXED
using weight = per_channel_min_max_observer<{.ch_axis = 0}>;
#else
using weight = per_channel_min_max_observer<{.ch_axis = 1}>;
#endif
struct int8 : qconfig_mapping<global<qconfig<histogram_observer<>, weight>>> {};

plan<net, x86, int8> planned;
