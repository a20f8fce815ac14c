// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<8>{"node y:"}
// expect: line<24>{"there is no tensor 2 of"}
// expect: line<4>{"gru"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net = ctq::model("x"_n = nn::placeholder({5, 1, 8}),
                                       "gru"_n = nn::gru("x"_n, {.hidden_size = 4}),
#ifdef CTQ_FIXED
                                       "y"_n = op::getitem("gru"_n, {.index = {1}}),
#else
                                       "y"_n = op::getitem("gru"_n, {.index = {2}}),
#endif
                                       "out"_n = nn::output("y"_n));

ctq::checked_model<net> checked;
