// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/reference/avg_pool2d.hpp"
#include "ctq/kernels/reference/max_pool2d.hpp"
#include "ctq/kernels/simd/pooling/avg_pool2d.hpp"
#include "ctq/kernels/simd/pooling/max_pool2d.hpp"

namespace ctq::kernels {

template <>
struct kernel_code<descriptors::max_pool2d> : copying_code<descriptors::max_pool2d> {
  static void reference(auto... x) noexcept { reference::max_pool2d(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::max_pool2d<Isa>(x...);
  }
};

template <>
struct kernel_code<descriptors::avg_pool2d> : one_input_code<descriptors::avg_pool2d> {
  static void reference(auto... x) noexcept { reference::avg_pool2d(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::avg_pool2d<Isa>(x...);
  }
};

}  // namespace ctq::kernels
