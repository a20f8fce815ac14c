// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<35>{"no fake quantize for the weight of"}
// expect: line<9>{"node: fc"}

#include "ctq/backends/x86.hpp"
#include "ctq/train/qat_model.hpp"

using namespace ctq;
using namespace ctq::literals;

#ifdef CTQ_FIXED
using weight = default_weight_fake_quant;
#else
using weight = default_weight_observer;
#endif

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
          "out"_n = nn::output("fc"_n));

struct mapping : qconfig_mapping<global<qconfig<default_fake_quant, weight>>> {};
using checked = plan<net, x86, mapping, unsupported::skip>;

report<training::trainable_check<checked>> found;
