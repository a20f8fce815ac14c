// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: node fc#2: it calls fc again, so its options and channels must be those of fc

#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

#ifdef CTQ_FIXED
constexpr int outputs = 4;
#else
constexpr int outputs = 5;
#endif
inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "fc#2"_n = nn::linear("fc"_n, {.out_features = outputs}), "out"_n = nn::output("fc#2"_n));

checked_model<net> checked;
