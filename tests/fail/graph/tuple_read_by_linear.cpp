// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<9>{"node fc:"}
// expect: line<26>{"reads all tensors of lstm"}
// expect: line<24>{"op::getitem selects one"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net = ctq::model("x"_n = nn::placeholder({5, 1, 8}),
                                       "lstm"_n = nn::lstm("x"_n, {.hidden_size = 4}),
#ifdef CTQ_FIXED
                                       "y"_n = op::getitem("lstm"_n, {.index = {0}}),
                                       "fc"_n = nn::linear("y"_n, {.out_features = 2}),
#else
                                       "fc"_n = nn::linear("lstm"_n, {.out_features = 2}),
#endif
                                       "out"_n = nn::output("fc"_n));

ctq::checked_model<net> checked;
