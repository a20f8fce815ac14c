// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<10>{"node sum:"}
// expect: line<35>{"reads shapes that do not broadcast"}
// expect: line<26>{"the input is [1, 3, 4, 4]"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net = ctq::model("x"_n = nn::placeholder({1, 3, 8, 8}),
                                       "pool"_n = nn::max_pool2d("x"_n, {.kernel_size = 2}),
#ifdef CTQ_FIXED
                                       "sum"_n = op::add("pool"_n, "pool"_n),
#else
                                       "sum"_n = op::add("x"_n, "pool"_n),
#endif
                                       "out"_n = nn::output("sum"_n));

ctq::checked_model<net> checked;
