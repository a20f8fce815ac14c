// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<11>{"node relu:"}
// expect: line<33>{"the last node must be nn::output"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 3, 8, 8}),
#ifdef CTQ_FIXED
                                       "relu"_n = nn::relu("x"_n), "out"_n = nn::output("relu"_n));
#else
                                       "relu"_n = nn::relu("x"_n));
#endif

ctq::checked_model<net> checked;
