// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/shapes/resampling_shape.hpp"

using namespace ctq;

namespace {

constexpr resampling_shape with(sampling_rule rule) { return {.sampling = rule}; }

static_assert(with(sampling_rule::nearest).is_nearest() &&
              !with(sampling_rule::nearest).is_cubic());
static_assert(with(sampling_rule::nearest_exact).is_nearest());
static_assert(!with(sampling_rule::linear).is_nearest() && !with(sampling_rule::linear).is_cubic());
static_assert(with(sampling_rule::cubic).is_cubic() && !with(sampling_rule::cubic).is_nearest());
static_assert(with(sampling_rule::cubic_aligned).is_cubic());

constexpr resampling_shape scaled{
    .scale_bits = {std::bit_cast<int>(0.5F), std::bit_cast<int>(2.0F), std::bit_cast<int>(1.5F)}};
static_assert(scaled.scale_h() == 0.5F && scaled.scale_w() == 2.0F && scaled.scale_d() == 1.5F);

}  // namespace
