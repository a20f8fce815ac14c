// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"

// Reductions along axes.

// clang-format off
#define CTQ_REDUCTIONS(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, mean, no_options, mean) \
  CTQ_FUNCTION_AND_METHOD(OP, sum, no_options, none)
// clang-format on

CTQ_REDUCTIONS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

inline constexpr op_descriptor mean{.on_integers = on_integers::input_scale};

}  // namespace ctq::descriptors

CTQ_REDUCTIONS(CTQ_DESCRIBE_OP)
