// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/xsimd.hpp"

namespace samples {

/// Calls f(type_identity<instruction set>) with that of the test, if it has registers.
template <class F>
void with_registers(F f) {
  []<class Isa>(std::type_identity<Isa> isa, const F& call) {
    if constexpr (ctq::kernels::vectorized<Isa>) call(isa);
  }(std::type_identity<ctq::isa::native>{}, f);
}

}  // namespace samples
