// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<34>{"training broadcasts operands with"}
// expect: line<27>{"as many axes as the result"}
// expect: line<10>{"node: sum"}

#include "ctq/backends/x86.hpp"
#include "ctq/train/qat_model.hpp"

using namespace ctq;
using namespace ctq::literals;

#ifdef CTQ_FIXED
inline constexpr auto other = nn::adaptive_avg_pool2d("x"_n, {.output_size = 1});
#else
inline constexpr auto other = fn::flatten("x"_n, {.start_dim = 1});
#endif

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4, 1, 1}), "other"_n = other,
          "sum"_n = op::add("x"_n, "other"_n), "out"_n = nn::output("sum"_n));

struct mapping : qconfig_mapping<> {};
using checked = plan<net, x86, mapping, unsupported::skip>;

report<training::trainable_check<checked>> found;
