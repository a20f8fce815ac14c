// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/quantize_sum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/random_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("quantize_sum rounds once, after the sum") {
  const std::vector<float> a = {0.2F, 0.3F, -9.0F, std::nanf(""), 1e30F};
  const std::vector<std::uint8_t> b = {11, 11, 10, 10, 10};
  std::vector<std::uint8_t> out(a.size());
  const qparams b_q{0.25F, 10, 0, 255}, out_q{0.5F, 7, 0, 250};
  reference::quantize_sum({5}, a.data(), b.data(), b_q, out_q, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{8, 8, 0, 7, 250});  // 0.45, 0.55, -9
  reference::quantize_sum({5}, a.data(), b.data(), b_q, out_q, out.data(), true);
  CHECK(out == std::vector<std::uint8_t>{8, 8, 7, 7, 250});
}

TEST_CASE_TEMPLATE("the product is rounded before it is added", Q, std::uint8_t, std::int8_t) {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const qparams b_q{0.1F, lo + 99, lo, lo + 255}, out_q{0.3F, lo + 128, lo, lo + 255};
  std::vector<float> a(65536);
  std::vector<Q> b(65536), expected(65536);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = 0.15F * static_cast<float>(static_cast<int>(i / 256) - 128);
    b[i] = static_cast<Q>(i % 256);
    volatile float product = static_cast<float>(b[i] - b_q.zero_point) * b_q.scale;
    volatile float sum = a[i] + product;
    expected[i] = reference::quantize<Q>(sum, quantizer_of(out_q));
  }
  samples::guarded<Q> scalar(a.size()), vector(a.size());
  reference::quantize_sum({65536}, a.data(), b.data(), b_q, out_q, scalar.data(), false);
  CHECK(scalar.holds(expected));
  simd::quantize_sum<isa::native>({65536}, a.data(), b.data(), b_q, out_q, vector.data(), false);
  CHECK(vector.holds(expected));
}

TEST_CASE_TEMPLATE("simd quantize_sum gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  samples::for_each_seed(samples::seeds(400), [](samples::generator& random, unsigned seed) {
    const auto count = static_cast<std::size_t>(random() % 300);
    const elementwise_shape shape{static_cast<int>(count)};
    const qparams b_q = samples::random_qparams<Q>(random);
    const qparams out_q = samples::random_qparams<Q>(random);
    // With NaN and infinity in every other case.
    const samples::fenced a(seed % 2 == 0 ? samples::floats(count, seed, out_q.scale)
                                          : samples::plain_floats(count, seed));
    const samples::fenced<Q> b(samples::integers<Q>(count, ~seed));
    const bool relu = random() % 2 == 0;
    std::vector<Q> expected(count);
    reference::quantize_sum(shape, a.data(), b.data(), b_q, out_q, expected.data(), relu);
    samples::guarded<Q> out(count), onto_b(samples::integers<Q>(count, ~seed));
    simd::quantize_sum<isa::native>(shape, a.data(), b.data(), b_q, out_q, out.data(), relu);
    CHECK(out.holds(expected));
    simd::quantize_sum<isa::native>(shape, a.data(), onto_b.data(), b_q, out_q, onto_b.data(),
                                    relu);
    CHECK(onto_b.holds(expected));
  });
}
