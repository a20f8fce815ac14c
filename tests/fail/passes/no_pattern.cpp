// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<13>{"backend: npu"}
// expect: line<11>{"node: relu"}
// expect: torch.nn.ReLU
// expect: to keep it in float: allow_float<relu>

#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net = model("x"_n = nn::placeholder({1, 4}), "relu"_n = nn::relu("x"_n),
                                  "out"_n = nn::output("relu"_n));

struct npu : backend_config<"npu", backend_pattern_config<pattern<nn::linear>>> {};

struct int8 : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {
};
#ifdef CTQ_FIXED
struct mapping : int8::set<allow_float<"relu">> {};
#else
struct mapping : int8 {};
#endif

plan<net, npu, mapping> checked;
