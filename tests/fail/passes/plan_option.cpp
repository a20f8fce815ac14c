// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no kernel for node fc: my.Seen

#include "ctq/backends/x86.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
          "out"_n = nn::output("fc"_n));

struct int8
    : qconfig_mapping<global<qconfig<histogram_observer<>, per_channel_min_max_observer<>>>> {};
constexpr op_info seen{op_kind::module, "my.Seen"};
struct custom : plan_options {
  static constexpr custom_module classes[] = {{.float_class = nn::linear.id(), .observed = &seen}};
  static constexpr prepare_custom_config prepare{.custom_modules = {classes, 1}};
};

#ifdef CTQ_FIXED
graph_plan<net, x86, int8, unsupported::error, custom> planned;
#else
plan<net, x86, int8, unsupported::error, custom> planned;
#endif
