// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: compiled code has no kernel for my.ObservedLSTM, node lstm: name ctq::lstm_custom_module,
// expect: or run it in an evaluator, or to keep it in float: allow_float<lstm>

#include "ctq/backends/native.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/passes/plan.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({5, 2, 4}), "lstm"_n = nn::lstm("x"_n, {.hidden_size = 4}),
          "y"_n = op::getitem("lstm"_n, {.index = {0}}),
          "fc"_n = nn::linear("y"_n, {.out_features = 2}), "out"_n = nn::output("fc"_n));

constexpr op_info observed_class{op_kind::module, "my.ObservedLSTM"};
constexpr op_info quantized_class{op_kind::module, "my.QuantizedLSTM"};

struct my_options : plan_options {
  static constexpr custom_module classes[] = {
      {.float_class = nn::lstm.id(), .observed = &observed_class, .quantized = &quantized_class}};
  static constexpr prepare_custom_config prepare{.custom_modules = {classes, 1}};
};
using min_max = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;
#ifdef CTQ_FIXED
struct int8 : qconfig_mapping<global<min_max>, allow_float<"lstm">> {};
#else
struct int8 : qconfig_mapping<global<min_max>> {};
#endif

plan<net, native, int8, unsupported::skip, my_options> checked;
