// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/attention_softmax.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("a query shares itself among the keys that it reads") {
  const std::vector<float> in = {0, 5, 0, 0, 2, 4};  // [2, 3]
  std::vector<float> out(6);
  attention_shape s{.rows = 2, .queries = 2, .keys = 3, .scale_bits = std::bit_cast<int>(0.5F)};
  reference::attention_softmax(s, in.data(), out.data());
  CHECK(out[0] == out[2]);
  CHECK(out[3] == doctest::Approx(0.09003057));
  CHECK(out[5] == doctest::Approx(0.66524096));
  s.causal = 1;
  reference::attention_softmax(s, in.data(), out.data());
  CHECK(std::vector<float>(out.begin(), out.begin() + 3) == std::vector<float>{1, 0, 0});
  CHECK(out[4] == doctest::Approx(0.73105858));
  CHECK(out[5] == 0);
}

TEST_CASE("simd softmax of attention gives the bits of the reference") {
  samples::for_each_seed(samples::seeds(200), [](samples::generator& random, unsigned seed) {
    const int queries = random.between(1, 40);
    const attention_shape s{.rows = queries * random.between(1, 3),
                            .queries = queries,
                            .keys = random.between(1, 50),
                            .causal = random.between(0, 1),
                            .scale_bits = std::bit_cast<int>(0.3F)};
    const auto count = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.keys);
    const samples::fenced in(samples::plain_floats(count, seed));
    std::vector<float> expected(count);
    const samples::guarded<float> out(count);
    reference::attention_softmax(s, in.data(), expected.data());
    simd::attention_softmax<isa::native>(s, in.data(), out.data());
    CHECK(out.holds(expected));
  });
}
