// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/passes/code_options.hpp"
#include "ctq/runtime/dispatch.hpp"
#include "ctq/runtime/int8_code.hpp"

// The code that dispatch chooses from: included by the translation unit that is compiled for each
// instruction set. That unit may only export dispatched_code_of. The linker could merge any other
// function (one of std::vector, say) with the same function of another unit, which would then run
// code for the wrong machine: so ctq-isolate makes all other symbols local.

namespace ctq {

/// Defined for this translation unit's instruction set only: with a definition for all, the
/// translation unit that chooses would compile them.
template <class Plan>
struct dispatched_code_of<Plan, isa::native> {
  static const dispatched_code& get() noexcept {
    using code = int8_code<Plan, isa::native>;
    static constexpr dispatched_code all{isa::native::name, code::arena_bytes, code::make,
                                         code::run};
    return all;
  }
};

/// The code of a plan for the instruction set that this translation unit is compiled for. To be
/// instantiated explicitly: template struct ctq::dispatched<plan>;
///   Option  those of convert that choose code
template <class Plan, auto... Option>
struct dispatched {
  using plan = converted_plan<Plan, std::remove_const_t<decltype(Option)>...>;
  static constexpr auto code = &dispatched_code_of<plan, isa::native>::get;
};

}  // namespace ctq
