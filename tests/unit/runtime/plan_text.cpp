// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/plan_text.hpp"

#include <doctest/doctest.h>

#include <span>
#include <string>

#include "ctq/backends/qconfigs.hpp"
#include "small_net.hpp"

namespace {

using namespace ctq;

template <class Plan>
std::string steps_of() {
  constexpr auto& schedule = Plan::int8_schedule;
  return text_of(std::span(schedule.steps).first(schedule.count), std::span(Plan::lowered.nodes));
}

inline constexpr auto leaky =
    sequential({3, 21}, nn::linear({.out_features = 17}), nn::leaky_relu({.negative_slope = 0.1F}));
inline constexpr auto leakier =
    sequential({3, 21}, nn::linear({.out_features = 17}), nn::leaky_relu({.negative_slope = 0.2F}));

}  // namespace

TEST_CASE("a step says what it computes, of what sizes, with whose qparams") {
  CHECK(steps_of<plan<small::mlp, x86, small::int8>>() ==
        "quantize_per_tensor_0: quantize, float32 to quint8, 63 [63], observers -1 -1 -1 0\n"
        "0: linear+relu, quint8 to quint8, 3x21:3x17 [3 21 17], observers 0 -1 -1 1\n"
        "2: linear, quint8 to quint8, 3x17:3x5 [3 17 5], observers 1 -1 -1 2\n"
        "dequantize_2: dequantize, quint8 to float32, 15 [15], observers 2 -1 -1 2");
}

TEST_CASE("options that no size shows make another text") {
  CHECK(steps_of<plan<leaky, x86, small::int8>>() != steps_of<plan<leakier, x86, small::int8>>());
}

TEST_CASE("an entry of a mapping says what it is for and what it asks for") {
  struct mapping
      : qconfig_mapping<global<qconfig<min_max_observer<{.reduce_range = true}>,
                                       per_channel_min_max_observer<>>>,
                        object_type<nn::linear, per_channel_dynamic_qconfig>, allow_float<"fc">> {};
  CHECK(text_of(mapping_v<mapping>) ==
        "global: MinMaxObserver(reduce_range=True), "
        "weight PerChannelMinMaxObserver(dtype=qint8, qscheme=per_channel_symmetric)\n"
        "object_type torch.nn.Linear: PlaceholderObserver(quant_min=0, quant_max=255, "
        "is_dynamic=True), "
        "weight PerChannelMinMaxObserver(dtype=qint8, qscheme=per_channel_symmetric)\n"
        "module_name fc: float");
}
