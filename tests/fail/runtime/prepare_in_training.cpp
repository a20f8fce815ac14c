// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: prepare makes a model that observes; a plan with is_qat is trained:
// expect: prepare_qat<...> of ctq/train.hpp

#include "ctq/backends/x86.hpp"
#include "ctq/runtime/observed_model.hpp"

using namespace ctq;
using namespace ctq::literals;

inline constexpr auto net =
    model("x"_n = nn::placeholder({1, 4}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
          "out"_n = nn::output("fc"_n));

struct int8
    : qconfig_mapping<global<qconfig<min_max_observer<>, per_channel_min_max_observer<>>>> {};
struct training : plan_options {
#ifndef CTQ_FIXED
  static constexpr bool is_qat = true;
#endif
};

auto observed(const model_weights<net>& weights) {
  return prepare<net, x86, int8, unsupported::error, isa::of_models, training>(weights);
}
