// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/views.hpp"

// Ops that return their input in inference, and that PyTorch's backends leave in float: kinds of
// dropout that they do not name, and copies.

// clang-format off
#define CTQ_FLOAT_IDENTITIES(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, dropout1d, "Dropout1d", dropout_options, identity_function) \
  CTQ_MODULE_AND_FUNCTION(OP, dropout2d, "Dropout2d", dropout_options, identity_function) \
  CTQ_MODULE_AND_FUNCTION(OP, dropout3d, "Dropout3d", dropout_options, identity_function) \
  CTQ_MODULE_AND_FUNCTION(OP, alpha_dropout, "AlphaDropout", dropout_options, identity_function) \
  CTQ_MODULE_AND_FUNCTION(OP, feature_alpha_dropout, "FeatureAlphaDropout", dropout_options, identity_function) \
  OP(fn, function_op, torch_dropout, "torch.dropout", no_options, identity_function) \
  OP(fn, function_op, stochastic_depth, "torchvision.ops.stochastic_depth.stochastic_depth", no_options, identity_function) \
  OP(method, method_op, clone, "clone", no_options, copy) \
  OP(method, method_op, float_, "float", no_options, identity_function)
// clang-format on

CTQ_FLOAT_IDENTITIES(CTQ_DECLARE_OP)

namespace ctq::descriptors {

inline constexpr op_descriptor identity_function{
    .infer_shape = &same_shape, .is_identity = true, .schedule = {.how = schedule_as::same}};
inline constexpr op_descriptor copy = keeping_integers(identity_function);

}  // namespace ctq::descriptors

CTQ_FLOAT_IDENTITIES(CTQ_DESCRIBE_OP)
