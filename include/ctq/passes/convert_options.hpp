// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_signature.hpp"

// A choice that a user makes for a whole model: sums that are cheaper, and not exact.

namespace ctq {

/// Sums of integers become those of kernels/reference/add_within_one_step.hpp, with their relu. A
/// sum that is joined to a layer stays exact: there it costs no more.
template <class Schedule>
constexpr void take_cheaper_sums(Schedule& s) {
  for (int i = 0; i < s.count; ++i) {
    kernel_signature& key = s.steps[i].key;
    if (key.in == f32 || (key.op != kernel::add && key.op != kernel::add_relu)) continue;
    key.relu = key.op == kernel::add_relu;
    key.op = kernel::add_within_one_step;
  }
}

/// A plan as it is: sums of two tensors have the bytes of dequantize, add, quantize.
template <class Plan>
using add_exactly = Plan;

/// A plan whose sums of two tensors are each at most one step away from the exact one, the same on
/// every instruction set. It takes the place of the plan in all that is made of one:
///
///   auto int8 = ctq::convert<ctq::add_within_one_step>(observed);
///   template struct ctq::dispatched<ctq::add_within_one_step<net_plan>>;
template <class Plan>
struct add_within_one_step : Plan {
  static constexpr auto int8_schedule = [] {
    auto s = Plan::int8_schedule;
    take_cheaper_sums(s);
    return s;
  }();
};

}  // namespace ctq
