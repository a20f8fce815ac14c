// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<12>{"node pool1:"}
// expect: line<25>{"no earlier node is named"}
// expect: line<6>{"rleu1"}

#include "ctq/graph/model.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

inline constexpr auto net =
    ctq::model("x"_n = nn::placeholder({1, 1, 28, 28}), "relu1"_n = nn::relu("x"_n),
#ifdef CTQ_FIXED
               "pool1"_n = nn::max_pool2d("relu1"_n, {.kernel_size = 2}),
#else
               // clang-format off
               // [mistake]
               "pool1"_n = nn::max_pool2d("rleu1"_n, {.kernel_size = 2}),  // relu1
               // [mistake]
// clang-format on
#endif
               "out"_n = nn::output("pool1"_n));

ctq::checked_model<net> checked;
