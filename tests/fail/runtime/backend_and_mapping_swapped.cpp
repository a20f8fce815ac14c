// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: not a backend, but given as one: it
// expect: is a type derived from ctq::backend_config<...>, and comes after the model

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/runtime/observed_model.hpp"

using namespace ctq;

inline constexpr auto mlp = sequential({1, 8}, nn::linear({.out_features = 4}));
struct int8 : qconfig_mapping<global<default_qconfig>> {};

auto observe(const model_weights<mlp>& weights) {
#ifdef CTQ_FIXED
  return prepare<mlp, x86, int8>(weights);
#else
  return prepare<mlp, int8, x86>(weights);
#endif
}
