// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/dequantize_accumulators.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("accumulators are multiplied by the number of their channel") {
  const std::int32_t sums[] = {1, 2, -3, 4};
  const float multiplier[] = {0.5F, 10.0F};
  float out[4];
  reference::dequantize_accumulators({2, 2}, sums, multiplier, out);
  CHECK(out[0] == 0.5F);
  CHECK(out[1] == 20.0F);
  CHECK(out[2] == -1.5F);
  CHECK(out[3] == 40.0F);
}

TEST_CASE("simd dequantize_accumulators gives the bits of the reference, also in place") {
  samples::for_each_seed(samples::seeds(200), [](samples::generator& random, unsigned seed) {
    const channels_shape s{random.between(0, 5), random.between(1, 70)};
    CAPTURE(s.channels);
    const auto size = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.channels);
    std::vector<std::int32_t> sums(size);
    for (std::int32_t& x : sums) x = static_cast<std::int32_t>(random());
    if (size > 0) sums.back() = std::numeric_limits<std::int32_t>::min();
    const samples::fenced multiplier(
        samples::plain_floats(static_cast<std::size_t>(s.channels), seed));
    std::vector<float> expected(size);
    reference::dequantize_accumulators(s, sums.data(), multiplier.data(), expected.data());
    const samples::fenced in(sums);
    samples::guarded<float> out(size);
    simd::dequantize_accumulators<isa::native>(s, in.data(), multiplier.data(), out.data());
    CHECK(out.holds(expected));
    samples::guarded<float> both(size);
    if (size > 0) std::memcpy(both.data(), sums.data(), size * sizeof(float));
    simd::dequantize_accumulators<isa::native>(
        s, reinterpret_cast<const std::int32_t*>(both.data()), multiplier.data(), both.data());
    CHECK(both.holds(expected));
  });
}
