// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<20>{"two nodes are named"}
// expect: line<5>{"relu"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net =
    ctq::model("x"_n = nn::placeholder({1, 3, 8, 8}), "relu"_n = nn::relu("x"_n),
#ifdef CTQ_FIXED
               "relu2"_n = nn::relu("relu"_n), "out"_n = nn::output("relu2"_n));
#else
               "relu"_n = nn::relu("relu"_n), "out"_n = nn::output("relu"_n));
#endif

ctq::checked_model<net> checked;
