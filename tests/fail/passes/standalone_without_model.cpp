// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: compiled code needs the model of a standalone module node: head
// expect: in the plan_options: using standalone_models = ctq::standalone_models<
// expect: model>>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/module_of.hpp"
#include "ctq/passes/standalone_plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto head =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
          "out"_n = nn::output("fc"_n));
inline constexpr module_of<"my.Head", head> call_head{};
inline constexpr auto net = model("x"_n = nn::placeholder({1, 4}), "head"_n = call_head("x"_n),
                                  "out"_n = nn::output("head"_n));

struct int8
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {};
struct alone : plan_options {
  static constexpr standalone_module modules[] = {{.name = "head"}};
  static constexpr prepare_custom_config prepare{.standalone = {modules, 1}};
#ifdef CTQ_FIXED
  using standalone_models = ctq::standalone_models<standalone_model<"head", head>>;
#endif
};

plan<net, x86, int8, unsupported::error, alone> planned;
