// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/identities.hpp"

#include <doctest/doctest.h>

#include "../calls.hpp"

using namespace ctq;

// They give their input, of any shape, which costs nothing.
template <class... Op>
constexpr bool are_identities(const Op&... op) {
  return ((shape_by(op, {2, 3}) == shape{2, 3} && op.id()->descriptor->is_identity &&
           op.id()->descriptor->schedule.how == schedule_as::same) &&
          ...);
}
static_assert(are_identities(nn::dropout1d, fn::dropout1d, nn::dropout2d, fn::dropout2d,
                             nn::dropout3d, fn::dropout3d, nn::alpha_dropout, fn::alpha_dropout,
                             nn::feature_alpha_dropout, fn::feature_alpha_dropout,
                             fn::torch_dropout, fn::stochastic_depth, method::clone,
                             method::float_));
