// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: not a plan, but given as one: it is ctq::plan<model, backend, mapping> or derived from it

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/io/load_quantized.hpp"

using namespace ctq;

inline constexpr auto mlp = sequential({1, 8}, nn::linear({.out_features = 4}));

auto load() {
#ifdef CTQ_FIXED
  return load_quantized<plan<mlp, x86>>("mlp.safetensors").value_or_exit();
#else
  return load_quantized<x86>("mlp.safetensors").value_or_exit();
#endif
}
