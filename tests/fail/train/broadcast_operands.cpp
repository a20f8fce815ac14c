// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<34>{"training broadcasts operands with"}
// expect: line<27>{"as many axes as the result"}
// expect: line<10>{"node: sum"}

#include "ctq/backends/x86.hpp"
#include "ctq/train/qat_model.hpp"

using namespace ctq;
using namespace ctq::literals;

#ifdef CTQ_FIXED
inline constexpr int start_dim = 1;
#else
inline constexpr int start_dim = 0;
#endif

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 1}), "flat"_n = fn::flatten("x"_n, {.start_dim = start_dim}),
          "sum"_n = op::add("x"_n, "flat"_n), "fc"_n = nn::linear("sum"_n, {.out_features = 2}),
          "out"_n = nn::output("fc"_n));

struct mapping : qconfig_mapping<global<qconfig_none>> {};
using checked = plan<net, x86, mapping, unsupported::skip>;

report<training::trainable_check<checked>> found;
