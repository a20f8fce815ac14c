// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the model is not a constant: write inline constexpr auto net = ctq::model(...)

#include "ctq/graph/model.hpp"

using namespace ctq;
using namespace ctq::literals;

#ifdef CTQ_FIXED
constexpr
#endif
    auto net = model("x"_n = nn::placeholder({1, 4}), "out"_n = nn::output("x"_n));

checked_model<net> checked;
