// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/kernels/xsimd.hpp"

// Kernels that vectorize across the channels of one pixel use the widest register that the channels
// fill.

namespace ctq::kernels::simd {

/// The instruction set with registers of half the width, or Isa itself if there is none.
template <class Isa>
using half_width =
    std::conditional_t<isa::includes<Isa, isa::avx512>, isa::avx2,
                       std::conditional_t<isa::includes<Isa, isa::avx2>, isa::sse4, Isa>>;

/// The narrowest of these.
template <class Isa>
struct narrowest : narrowest<half_width<Isa>> {};
template <class Isa>
requires std::same_as<half_width<Isa>, Isa>
struct narrowest<Isa> {
  using type = Isa;
};
template <class Isa>
using narrowest_width = typename narrowest<Isa>::type;

/// Calls f(tag) with the widest instruction set, up to Isa, whose register of T has at most `count`
/// lanes; with the narrowest if there is none. count: an int, or an integral_constant, for which f
/// is instantiated once
template <vectorized Isa, class T, class Count, class F>
[[gnu::always_inline]] inline void with_width(Count count, F f) noexcept {
  using half = half_width<Isa>;
  constexpr int lanes = static_cast<int>(batch<Isa, T>::size);
  if constexpr (std::is_same_v<half, Isa>) {
    f(Isa{});
  } else if constexpr (requires { requires Count::value >= lanes; }) {
    f(Isa{});
  } else if constexpr (requires { Count::value; }) {
    with_width<half, T>(count, f);
  } else {
    if (count >= lanes) {
      f(Isa{});
    } else {
      with_width<half, T>(count, f);
    }
  }
}

}  // namespace ctq::kernels::simd
