// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the QConfig cannot be honoured: backend: x86 node: bn
// expect: no integer kernel for torch.nn.BatchNorm2d quint8 to quint8 output shape: 1x3x8x8
// expect: integer kernels: requantize, relu, binary_add, binary_mul, binary_sub,
// expect: to keep it in float: allow_float<bn>

#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net = model("x"_n = nn::placeholder({1, 3, 8, 8}),
                                  "bn"_n = nn::batch_norm2d("x"_n), "out"_n = nn::output("bn"_n));

struct int8 : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {
};
#ifdef CTQ_FIXED
struct mapping : int8::set<allow_float<"bn">> {};
#else
struct mapping : int8 {};
#endif

plan<net, x86, mapping> checked;
