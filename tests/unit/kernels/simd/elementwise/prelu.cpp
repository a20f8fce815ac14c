// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/prelu.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("each channel has the slope of its negative elements") {
  const float in[] = {1, -2, -3, 4}, weight[] = {0.5F, 3};
  float out[4];
  reference::prelu({.rows = 2, .channels = 2}, in, weight, out);
  CHECK(std::vector<float>(out, out + 4) == std::vector<float>{1, -6, -1.5F, 4});
}

TEST_CASE("prelu of any number of channels equals the reference") {
  samples::for_each_seed(samples::seeds(300), [](samples::generator& random, unsigned seed) {
    const channels_shape s{random.between(1, 9),
                           random.between(0, 3) == 0 ? 1 : random.between(1, 60)};
    const auto count = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.channels);
    const samples::fenced in(samples::plain_floats(count, seed));
    const samples::fenced weight(
        samples::plain_floats(static_cast<std::size_t>(s.channels), seed + 1));
    std::vector<float> expected(count);
    const samples::guarded<float> out(count);
    reference::prelu(s, in.data(), weight.data(), expected.data());
    simd::prelu<isa::native>(s, in.data(), weight.data(), out.data());
    CHECK(out.holds(expected));
  });
}
