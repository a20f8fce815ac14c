// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: line<35>{"no fake quantize for the output of"}
// expect: line<8>{"node: x"}
// expect: line<19>{"fake_quantize<...>"}

#include "ctq/backends/x86.hpp"
#include "ctq/train/qat_model.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
          "out"_n = nn::output("fc"_n));

using activation = min_max_observer<{.dtype = quint8}>;
using weight = moving_average_per_channel_min_max_observer<>;
#ifdef CTQ_FIXED
using chosen = qconfig<fake_quantize<activation>, fake_quantize<weight>>;
#else
using chosen = qconfig<activation, fake_quantize<weight>>;
#endif
struct mapping : qconfig_mapping<global<chosen>> {};

report<training::trainable_check<plan<net, x86, mapping>>> found;
