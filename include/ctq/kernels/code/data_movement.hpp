// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/reference/concat.hpp"
#include "ctq/kernels/reference/transpose.hpp"
#include "ctq/kernels/simd/data_movement/concat.hpp"
#include "ctq/kernels/simd/data_movement/transpose.hpp"

namespace ctq::kernels {

template <>
struct kernel_code<descriptors::concat> : copying_code<descriptors::concat> {
  static void reference(auto... x) noexcept { reference::concat(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::concat<Isa>(x...);
  }
};

template <>
struct kernel_code<descriptors::to_nhwc> : copying_code<descriptors::to_nhwc> {
  static void reference(auto... x) noexcept { reference::to_nhwc(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::to_nhwc<Isa>(x...);
  }
};

template <>
struct kernel_code<descriptors::to_nchw> : copying_code<descriptors::to_nchw> {
  static void reference(auto... x) noexcept { reference::to_nchw(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::to_nchw<Isa>(x...);
  }
};

}  // namespace ctq::kernels
