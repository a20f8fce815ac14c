// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<32>{"training calls each module once"}
// expect: line<11>{"node: fc#2"}

#include "ctq/backends/x86.hpp"
#include "ctq/train/qat_model.hpp"

using namespace ctq;
using namespace ctq::literals;

#ifdef CTQ_FIXED
inline constexpr auto second = "other"_n;
#else
inline constexpr auto second = "fc#2"_n;
#endif

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          second = nn::linear("fc"_n, {.out_features = 4}), "out"_n = nn::output(second));

struct mapping : qconfig_mapping<global<qconfig_none>> {};
using checked = plan<net, x86, mapping, unsupported::skip>;

report<training::trainable_check<checked>> found;
