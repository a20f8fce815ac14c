// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: the model is not a constant: write inline constexpr auto net = ctq::model(...)

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/runtime/observed_model.hpp"

using namespace ctq;

#ifdef CTQ_FIXED
constexpr
#endif
    auto mlp = sequential({1, 8}, nn::linear({.out_features = 4}));

auto observe(const model_weights<mlp>& weights) { return prepare<mlp, x86>(weights); }
