// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: no default QConfigMapping for backend: native
// expect: PyTorch has one for fbgemm, x86,
// expect: qnnpack and onednn: name a mapping,
// expect: or specialize ctq::engine_defaults

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/native.hpp"
#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/runtime/observed_model.hpp"

using namespace ctq;

inline constexpr auto mlp = sequential({1, 8}, nn::linear({.out_features = 4}));

#ifdef CTQ_FIXED
using backend = x86;
#else
using backend = native;
#endif

auto observe(const model_weights<mlp>& weights) { return prepare<mlp, backend>(weights); }
