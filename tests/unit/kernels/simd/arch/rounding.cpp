// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/rounding.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

template <class Isa>
int fused_differently() {
  if constexpr (!vectorized<Isa>) {
    return 0;
  } else {
    using floats = batch<Isa, float>;
    constexpr std::size_t n = floats::size;
    samples::generator random(1);
    // Random bits; values of similar magnitude, whose sums are close to ties; products that nearly
    // cancel.
    const auto any = [&] { return std::bit_cast<float>(static_cast<std::uint32_t>(random())); };
    const auto near = [&] {
      return static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-31F;
    };
    int wrong = 0;
    for (int turn = 0; turn < 30000; ++turn) {
      float x[n], y[n], z[n], out[n];
      for (std::size_t i = 0; i < n; ++i) {
        const bool bits = turn % 3 == 0;
        x[i] = bits ? any() : near();
        y[i] = bits ? any() : turn % 2 == 0 ? 0x1p-25F * near() : near();
        z[i] = bits ? any() : turn % 3 == 1 ? near() : -(x[i] * y[i]);
      }
      simd::fma<Isa>(floats::load_unaligned(x), floats::load_unaligned(y),
                     floats::load_unaligned(z))
          .store_unaligned(out);
      for (std::size_t i = 0; i < n; ++i) {
        const float expected = ::fmaf(x[i], y[i], z[i]);
        wrong += std::bit_cast<std::uint32_t>(out[i]) != std::bit_cast<std::uint32_t>(expected) &&
                 !(std::isnan(out[i]) && std::isnan(expected));
      }
    }
    return wrong;
  }
}

}  // namespace

TEST_CASE("fma rounds once, with or without an fma instruction") {
  CHECK(fused_differently<isa::native>() == 0);
#if defined(__SSE2__)
  CHECK(fused_differently<isa::sse2>() == 0);
#endif
#if defined(__SSE4_1__)
  CHECK(fused_differently<isa::sse4>() == 0);
#endif
}
