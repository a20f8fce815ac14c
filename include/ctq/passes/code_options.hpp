// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/kernel_descriptors.hpp"

// Options of convert that change the compiled code.

namespace ctq {

/// Sums of integers become those of kernels/reference/binary_add_within_one_step.hpp, with their
/// relu. A sum that is fused into a layer stays exact, since it costs no more there.
template <class Schedule>
constexpr void take_cheaper_sums(Schedule& s) {
  for (int i = 0; i < s.count; ++i) {
    kernel_signature& key = s.steps[i].key;
    if (key.in != f32 && key.kernel == kernel::binary_add)
      key.kernel = kernel::binary_add_within_one_step;
  }
}

/// A plan whose sums of two tensors differ from the exact ones by at most 1, equally on every
/// instruction set.
template <class Plan>
struct plan_within_one_step : Plan {
  static constexpr auto int8_schedule = [] {
    auto s = Plan::int8_schedule;
    take_cheaper_sums(s);
    return s;
  }();
};

// Arguments of convert whose types decide which code is compiled.
//
//   auto model = ctq::convert(observed, ctq::add_within_one_step);
//   template struct ctq::dispatched<net_plan, ctq::add_within_one_step>;

struct add_within_one_step_option {};
/// Sums of two tensors that are not fused into a layer cost less; each output differs from
/// the exact one by at most 1.
inline constexpr add_within_one_step_option add_within_one_step{};

struct dispatch_option {};
/// The code is chosen when the model is made, from that of all translation units that instantiate
/// ctq::dispatched: one program for many machines.
inline constexpr dispatch_option dispatch{};

/// Whether Option is among the given ones.
template <class Option, class... Given>
inline constexpr bool asks_for = (std::is_same_v<Option, Given> || ...);

template <class T>
concept code_option = asks_for<T, add_within_one_step_option, dispatch_option>;

/// The plan that these options request.
template <class Plan, code_option... Option>
using converted_plan = std::conditional_t<asks_for<add_within_one_step_option, Option...>,
                                          plan_within_one_step<Plan>, Plan>;

}  // namespace ctq
