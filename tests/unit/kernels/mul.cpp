// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/mul.hpp"

#include <doctest/doctest.h>

#include "samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("mul multiplies real numbers") {
  const std::vector<std::uint8_t> a = {10, 14, 0, 255}, b = {7, 6, 0, 255};
  std::vector<std::uint8_t> out(4);
  const qparams a_q{0.5F, 10, 0, 255}, b_q{0.25F, 2, 0, 255}, out_q{0.5F, 7, 0, 255};
  reference::mul({4}, a.data(), a_q, b.data(), b_q, out_q, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{7, 11, 12, 255});  // 0, 2, 2.5, 7748.4
}

TEST_CASE_TEMPLATE("simd mul on integers gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  const auto qs = samples::qparams<Q>();
  for (std::size_t k = 0; k < qs.size() * qs.size(); ++k) {
    const qparams& a_q = qs[k % qs.size()];
    const qparams& b_q = qs[k / qs.size()];
    const qparams& out_q = qs[(k * 5 + k / 7) % qs.size()];
    for (const int n : samples::lengths()) {
      if (n > 70 && n % 2 == 0) continue;
      const bool relu = n % 3 == 0;
      const auto count = static_cast<std::size_t>(n);
      const auto a = samples::integers<Q>(count, 11U + static_cast<unsigned>(n));
      const auto b = samples::integers<Q>(count, 12U + static_cast<unsigned>(k));
      std::vector<Q> expected(count);
      reference::mul({n}, a.data(), a_q, b.data(), b_q, out_q, expected.data(), relu);
      samples::guarded<Q> out(count), onto_a(a), onto_b(b);
      simd::mul<isa::native>({n}, a.data(), a_q, b.data(), b_q, out_q, out.data(), relu);
      CHECK(out.holds(expected));
      simd::mul<isa::native>({n}, onto_a.data(), a_q, b.data(), b_q, out_q, onto_a.data(), relu);
      CHECK(onto_a.holds(expected));
      simd::mul<isa::native>({n}, a.data(), a_q, onto_b.data(), b_q, out_q, onto_b.data(), relu);
      CHECK(onto_b.holds(expected));
    }
  }
}

TEST_CASE("simd mul on floats gives the bits of the reference") {
  for (const int n : samples::lengths()) {
    for (const bool relu : {false, true}) {
      const auto count = static_cast<std::size_t>(n);
      const auto a = samples::floats(count, 21U + static_cast<unsigned>(n));
      const auto b = samples::plain_floats(count, 22U + static_cast<unsigned>(n));
      std::vector<float> expected(count);
      reference::mul({n}, a.data(), b.data(), expected.data(), relu);
      samples::guarded<float> out(count);
      simd::mul<isa::native>({n}, a.data(), b.data(), out.data(), relu);
      CHECK(out.holds(expected));
    }
  }
}

TEST_CASE_TEMPLATE("simd mul equals the reference on random operands", Q, std::uint8_t,
                   std::int8_t) {
  for (unsigned seed = 1; seed <= samples::cases(300); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto count = static_cast<std::size_t>(random() % 300);
    const int n = static_cast<int>(count);
    const samples::fenced<Q> a(samples::integers<Q>(count, seed));
    const samples::fenced<Q> b(samples::integers<Q>(count, ~seed));
    const qparams a_q = samples::random_qparams<Q>(random);
    const qparams b_q = samples::random_qparams<Q>(random);
    const qparams out_q = samples::random_qparams<Q>(random);
    const bool relu = random() % 2 == 0;
    std::vector<Q> expected(count);
    reference::mul({n}, a.data(), a_q, b.data(), b_q, out_q, expected.data(), relu);
    const samples::guarded<Q> out(count);
    simd::mul<isa::native>({n}, a.data(), a_q, b.data(), b_q, out_q, out.data(), relu);
    CHECK(out.holds(expected));
  }
}
