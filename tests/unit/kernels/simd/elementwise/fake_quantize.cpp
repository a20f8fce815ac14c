// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/fake_quantize.hpp"

#include <doctest/doctest.h>

#include "kernels/random_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("fake quantize returns dequantized values") {
  const std::vector<float> in = {0.26F, -0.6F, 1000.0F, -1000.0F, 0.25F};
  std::vector<float> out(5);
  reference::fake_quantize({5}, in.data(), {0.5F, 3, 0, 255}, out.data());
  CHECK(out == std::vector<float>{0.5F, -0.5F, 126.0F, -1.5F, 0.0F});
}

TEST_CASE("simd fake quantize gives the bits of the reference") {
  auto qs = samples::qparams<std::uint8_t>();
  qs.push_back({0.01F, 0, -32768, 32767});
  qs.push_back({0.01F, 0, 0, 255});
  for (const qparams& q : qs) {
    for (const int n : samples::lengths()) {
      const auto count = static_cast<std::size_t>(n);
      const auto in = samples::floats(count, static_cast<unsigned>(n), q.scale);
      std::vector<float> expected(count);
      reference::fake_quantize({n}, in.data(), q, expected.data());
      samples::guarded<float> out(count), onto(in);
      simd::fake_quantize<isa::native>({n}, in.data(), q, out.data());
      CHECK(out.holds(expected));
      simd::fake_quantize<isa::native>({n}, onto.data(), q, onto.data());
      CHECK(onto.holds(expected));
    }
  }
}

TEST_CASE_TEMPLATE("simd fake quantize equals the reference on random operands", Q, std::uint8_t,
                   std::int8_t) {
  samples::check_random<Q, float>(
      [](std::size_t n, unsigned seed, const qparams& q) {
        return samples::floats(n, seed, q.scale);
      },
      [](auto... operands) { reference::fake_quantize(operands...); },
      [](auto... operands) { simd::fake_quantize<isa::native>(operands...); });
}
