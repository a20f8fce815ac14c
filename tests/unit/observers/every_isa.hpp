// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/isa.hpp"

// For tests that compare all instruction sets that the binary may use.

namespace ctq {

/// Calls f(tag) for isa::native and each instruction set that it includes.
template <class F>
void for_each_isa(F f) {
  f(isa::native{});
  f(isa::scalar{});
  if constexpr (isa::includes<isa::native, isa::avx512>) f(isa::avx512{});
  if constexpr (isa::includes<isa::native, isa::avx2>) f(isa::avx2{});
  if constexpr (isa::includes<isa::native, isa::sse4>) f(isa::sse4{});
  if constexpr (isa::includes<isa::native, isa::sse2>) f(isa::sse2{});
}

}  // namespace ctq
