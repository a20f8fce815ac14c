// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: lower

#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan_stages.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net = model("x"_n = nn::placeholder({1, 4}), "relu"_n = nn::relu("x"_n),
                                  "out"_n = nn::output("relu"_n));

#ifdef CTQ_FIXED
constexpr int nodes = lower(graph_view<stage::reference>{}).size();
#else
constexpr int nodes = lower(fused_v<net, x86>.view()).size();
#endif
