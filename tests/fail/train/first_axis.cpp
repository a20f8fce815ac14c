// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<32>{"training adds samples along the"}
// expect: line<37>{"first axis, which must stay as it is"}
// expect: line<11>{"node: flat"}

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
    model("x"_n = nn::placeholder({1, 4}), "flat"_n = fn::flatten("x"_n, {.start_dim = start_dim}),
          "fc"_n = nn::linear("flat"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

struct mapping : qconfig_mapping<global<qconfig_none>> {};
using checked = plan<net, x86, mapping, unsupported::skip>;

report<training::trainable_check<checked>> found;
