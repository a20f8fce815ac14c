// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/dequantize_dynamic.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("accumulators lose the zero point, are scaled, and get a bias") {
  const std::int32_t sums[] = {10, 20, 30, 40};
  const std::int32_t weight_sums[] = {2, -1};
  const float scale[] = {0.5F, 10.0F}, bias[] = {1.0F, -1000.0F};
  float out[4];
  reference::dequantize_dynamic({2, 2}, sums, {2.0F, 3, scale, bias, weight_sums, false}, out);
  CHECK(out[0] == 5.0F);     // (10 - 3*2) * 2*0.5 + 1
  CHECK(out[1] == -540.0F);  // (20 + 3) * 20 - 1000
  CHECK(out[2] == 25.0F);
  CHECK(out[3] == -140.0F);
  reference::dequantize_dynamic({2, 2}, sums, {2.0F, 3, scale, bias, weight_sums, true}, out);
  CHECK(out[0] == 5.0F);
  CHECK(out[1] == 0.0F);
}

TEST_CASE("simd dequantize_dynamic gives the bits of the reference, also in place") {
  samples::for_each_seed(samples::seeds(200), [](samples::generator& random, unsigned seed) {
    const channels_shape s{random.between(0, 5), random.between(1, 70)};
    CAPTURE(s.channels);
    const auto channels = static_cast<std::size_t>(s.channels);
    const auto size = static_cast<std::size_t>(s.rows) * channels;
    const auto integers = [&](std::size_t count) {
      std::vector<std::int32_t> x(count);
      for (std::int32_t& i : x) i = static_cast<std::int32_t>(random());
      if (count > 0) x.back() = std::numeric_limits<std::int32_t>::min();
      return x;
    };
    const std::vector<std::int32_t> sums = integers(size);
    const samples::fenced<std::int32_t> weight_sums(integers(channels));
    const samples::fenced scale(samples::plain_floats(channels, seed));
    const samples::fenced bias(samples::plain_floats(channels, seed + 1));
    const reference::dynamic_scales to{scale.data()[0],    random.between(0, 255),
                                       scale.data(),       bias.data(),
                                       weight_sums.data(), random.between(0, 1) == 1};
    std::vector<float> expected(size);
    reference::dequantize_dynamic(s, sums.data(), to, expected.data());
    const samples::fenced in(sums);
    samples::guarded<float> out(size);
    simd::dequantize_dynamic<isa::native>(s, in.data(), to, out.data());
    CHECK(out.holds(expected));
    samples::guarded<float> both(size);
    if (size > 0) std::memcpy(both.data(), sums.data(), size * sizeof(float));
    simd::dequantize_dynamic<isa::native>(s, reinterpret_cast<const std::int32_t*>(both.data()), to,
                                          both.data());
    CHECK(both.holds(expected));
  });
}
