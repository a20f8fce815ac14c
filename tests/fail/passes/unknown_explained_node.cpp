// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no_node_has_this_name

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/explain/explain.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
          "out"_n = nn::output("fc"_n));

#ifdef CTQ_FIXED
static_assert(explain<net, x86, default_qconfig_mapping<x86>>().quantized("fc"));
#else
static_assert(!explain<net, x86, default_qconfig_mapping<x86>>().quantized("fcc"));
#endif
