// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

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
  const floats magic(round_to_integer);
  const floats shifted = rounded<Isa>(x * floats(log2_e)) + magic;
  const floats n = shifted - magic;
  const floats r = (x - rounded<Isa>(n * floats(ln2_high))) - rounded<Isa>(n * floats(ln2_low));
  floats y(factor[0]);
  for (int i = 1; i < 8; ++i) y = rounded<Isa>(y * r) + floats(factor[i]);
  const integers power = bits_as<integers>(shifted) << 23;
  const floats scaled = bits_as<floats>(bits_as<integers>(y) + power);
  const floats some = xsimd::select(x < floats(least), floats(0.0F), scaled);
  return xsimd::select(xsimd::isnan(x), x, some);
}

}  // namespace ctq::kernels::simd

CTQ_END_AVX512
