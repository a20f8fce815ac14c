// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "ctq/core/unroll.hpp"
#include "ctq/kernels/exponential.hpp"
#include "ctq/kernels/simd/arch/avx512_warnings.hpp"
#include "ctq/kernels/simd/arch/rounding.hpp"
#include "ctq/kernels/simd/register_conversions.hpp"
#include "ctq/kernels/xsimd.hpp"

CTQ_BEGIN_AVX512

namespace ctq::kernels::simd {

/// As kernels::exp_of_negative in each lane, bit for bit.
template <vectorized Isa>
[[nodiscard, gnu::always_inline]] inline batch<Isa, float> exp_of_negative(
    batch<Isa, float> x) noexcept {
  using namespace exponentials;
  using floats = batch<Isa, float>;
  using integers = batch<Isa, std::int32_t>;
  const floats magic(round_to_exponent);
  const floats bounded = at_least<Isa>(x, floats(least));
  const floats shifted = fma<Isa>(bounded, floats(log2_e), magic);
  const floats n = shifted - magic;
  const auto less = [&](floats from, float part) __attribute__((always_inline)) {
    if constexpr (has_fma<Isa>) {
      return fma<Isa>(n, floats(-part), from);
    } else {
      return from - n * floats(part);
    }
  };
  const floats r = less(less(bounded, ln2_high), ln2_low);
  floats y(factor[0]);
  unroll<5>([&](auto i)
                __attribute__((always_inline)) { y = fma<Isa>(y, r, floats(factor[i + 1])); });
  return y * bits_as<floats>(bits_as<integers>(shifted) << 23);
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
