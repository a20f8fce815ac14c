// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/dequantize.hpp"

#include <doctest/doctest.h>

#include "kernels/random_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("dequantize subtracts the zero point and scales") {
  const std::vector<std::int8_t> in = {-128, -3, 0, 127};
  std::vector<float> out(in.size());
  reference::dequantize({4}, in.data(), {0.5F, -3, -128, 127}, out.data());
  CHECK(out == std::vector<float>{-62.5F, 0.0F, 1.5F, 65.0F});
}

TEST_CASE_TEMPLATE("simd dequantize gives the bits of the reference", Q, std::uint8_t,
                   std::int8_t) {
  for (const qparams& p : samples::qparams<Q>()) {
    for (const int n : samples::lengths()) {
      CAPTURE(p.scale);
      CAPTURE(n);
      const auto in =
          samples::integers<Q>(static_cast<std::size_t>(n), 7U + static_cast<unsigned>(n));
      std::vector<float> expected(in.size());
      reference::dequantize({n}, in.data(), p, expected.data());
      samples::guarded<float> out(in.size());
      simd::dequantize<isa::native>({n}, in.data(), p, out.data());
      CHECK(out.holds(expected));
    }
  }
}

TEST_CASE_TEMPLATE("simd dequantize equals the reference on random operands", Q, std::uint8_t,
                   std::int8_t) {
  samples::check_random<Q, float>(
      [](std::size_t n, unsigned seed, const qparams&) { return samples::integers<Q>(n, seed); },
      [](auto... operands) { reference::dequantize(operands...); },
      [](auto... operands) { simd::dequantize<isa::native>(operands...); });
}
