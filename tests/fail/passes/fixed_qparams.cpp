// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: input: not a fixed scale the backend allows only scale 0.00390625, from
// expect: to quantize it: use its entry of default_qconfig_mapping
// expect: to keep it in float: allow_float<act>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/fbgemm.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 8}), "fc"_n = nn::linear("x"_n, {.out_features = 4}),
          "act"_n = nn::hardsigmoid("fc"_n), "out"_n = nn::output("act"_n));

#ifdef CTQ_FIXED
using mapping = default_qconfig_mapping<fbgemm>;
#else
struct mapping
    : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>> {};
#endif

constexpr auto prepared = plan<net, fbgemm, mapping>::prepared;
