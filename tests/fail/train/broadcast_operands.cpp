// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<30>{"no gradient for operands that"}
// expect: line<28>{"broadcast, nor for a number"}
// expect: line<13>{"node: scaled"}

#include "ctq/backends/x86.hpp"
#include "ctq/train/qat_model.hpp"

using namespace ctq;
using namespace ctq::literals;

#ifdef CTQ_FIXED
inline constexpr auto scaled = op::mul("x"_n, "x"_n);
#else
inline constexpr auto scaled = op::mul("x"_n, 2.0F);
#endif

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "scaled"_n = scaled,
          "fc"_n = nn::linear("scaled"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

struct mapping : qconfig_mapping<module_name<"scaled", qconfig_none>> {};
using checked = plan<net, x86, mapping, unsupported::skip>;

report<training::trainable_check<checked>> found;
