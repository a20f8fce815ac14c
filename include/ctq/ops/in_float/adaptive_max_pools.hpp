// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/pools.hpp"

// Adaptive pools of maxima, which PyTorch's backends leave in float.

// clang-format off
#define CTQ_ADAPTIVE_MAX_POOLS(OP) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool1d, "AdaptiveMaxPool1d", adaptive_avg_pool2d_options, adaptive_max_pool<1>) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool2d, "AdaptiveMaxPool2d", adaptive_avg_pool2d_options, adaptive_max_pool<2>) \
  CTQ_MODULE_AND_FUNCTION(OP, adaptive_max_pool3d, "AdaptiveMaxPool3d", adaptive_avg_pool3d_options, adaptive_max_pool<3>)
// clang-format on

CTQ_ADAPTIVE_MAX_POOLS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

template <int Axes>
inline constexpr op_descriptor adaptive_max_pool =
    since_2_1(pool<Axes>(&adaptive_pool_shape_rule<Axes>, kernel::pooling_max,
                         &adaptive_pool_sizes<Axes>, gradient_rule::none));

}  // namespace ctq::descriptors

CTQ_ADAPTIVE_MAX_POOLS(CTQ_DESCRIBE_OP)
