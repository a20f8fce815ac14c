// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/passes/schedule/step.hpp"

// Options of convert that change the compiled code.

namespace ctq {

/// Replaces sums of integers by those of kernels/reference/binary_add_within_one_step.hpp, with
/// their relu. A sum that is fused into a layer stays exact, since it costs no more there.
template <class Schedule>
constexpr void take_cheaper_sums(Schedule& s) {
  for (int i = 0; i < s.count; ++i) {
    kernel_signature& signature = s.steps[i].signature;
    if (signature.in != f32 && signature.kernel == kernel::binary_add)
      signature.kernel = kernel::binary_add_within_one_step;
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

/// A plan all of whose steps on integers have the code `For`, instead of what
/// scheduling::chosen_code says.
template <class Plan, kernel_code_kind For>
struct plan_with_code : Plan {
  static constexpr auto int8_schedule = [] {
    auto s = Plan::int8_schedule;
    for (int i = 0; i < s.count; ++i) s.steps[i].code = For;
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

struct specialized_kernels_option {};
/// Every kernel is compiled for the extents of its layer: the fastest code, at up to two seconds of
/// compile time for each layer. Without it only kernels of small layers are, where it pays.
inline constexpr specialized_kernels_option specialized_kernels{};

struct shared_kernels_option {};
/// No kernel is compiled for the extents of its layer: the least code. Small layers take up to
/// twice as long.
inline constexpr shared_kernels_option shared_kernels{};

struct dispatch_option {};
/// The code is chosen when the model is made, from that of all translation units that instantiate
/// ctq::dispatched: one program for many machines.
inline constexpr dispatch_option dispatch{};

/// Whether Option is among the given ones.
template <class Option, class... Given>
inline constexpr bool asks_for = (std::is_same_v<Option, Given> || ...);

template <class T>
concept code_option = asks_for<T, add_within_one_step_option, specialized_kernels_option,
                               shared_kernels_option, dispatch_option>;

namespace code_options {

template <class Plan, code_option... Option>
struct with_code {
  static constexpr bool specialized = asks_for<specialized_kernels_option, Option...>;
  static constexpr bool shared = asks_for<shared_kernels_option, Option...>;
  static_assert(!(specialized && shared),
                "specialized_kernels and shared_kernels exclude each other: remove one of them");
  using type = std::conditional_t<
      specialized, plan_with_code<Plan, kernel_code_kind::specialized>,
      std::conditional_t<shared, plan_with_code<Plan, kernel_code_kind::shared>, Plan>>;
};

}  // namespace code_options

/// The plan that these options request.
template <class Plan, code_option... Option>
using converted_plan = typename code_options::with_code<
    std::conditional_t<asks_for<add_within_one_step_option, Option...>, plan_within_one_step<Plan>,
                       Plan>,
    Option...>::type;

}  // namespace ctq
