// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/add.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// All pairs of bytes: a[i], b[i] = i / 256, i % 256.
template <class Q>
struct all_pairs {
  std::vector<Q> a = std::vector<Q>(65536), b = std::vector<Q>(65536);
  all_pairs() {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<Q>(i / 256);
      b[i] = static_cast<Q>(i % 256);
    }
  }
};

/// The definition with every step forced to float.
template <class Q>
Q by_definition(Q a, const qparams& a_q, Q b, const qparams& b_q, const qparams& out_q, bool relu) {
  volatile float x = static_cast<float>(a - a_q.zero_point) * a_q.scale;
  volatile float y = static_cast<float>(b - b_q.zero_point) * b_q.scale;
  volatile float sum = x + y;
  const float kept = relu && sum < 0.0F ? 0.0F : sum;
  return reference::quantize<Q>(kept, quantizer_of(out_q));
}

}  // namespace

TEST_CASE("add sums real numbers and rounds once") {
  const std::vector<std::uint8_t> a = {10, 20, 0, 255};
  const std::vector<std::uint8_t> b = {0, 5, 0, 255};
  std::vector<std::uint8_t> out(4);
  const qparams a_q{0.5F, 10, 0, 255}, b_q{0.25F, 0, 0, 255}, out_q{0.5F, 7, 0, 255};
  reference::add({4}, a.data(), a_q, b.data(), b_q, out_q, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{7, 19, 0, 255});  // 0, 6.25, -5, 186.25
  reference::add({4}, a.data(), a_q, b.data(), b_q, out_q, out.data(), true);
  CHECK(out == std::vector<std::uint8_t>{7, 19, 7, 255});
}

TEST_CASE_TEMPLATE("a product is rounded before it is added", Q, std::uint8_t, std::int8_t) {
  const all_pairs<Q> in;
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const qparams scales[][3] = {
      {{0.1F, lo, lo, lo + 255}, {0.3F, lo, lo, lo + 255}, {0.2F, lo, lo, lo + 255}},
      {{0.7F, lo + 128, lo, lo + 255},
       {0.1F, lo + 99, lo, lo + 255},
       {0.4F, lo + 120, lo, lo + 255}},
      // Ties in every other sum, and in none.
      {{1.0F, lo + 99, lo, lo + 255}, {1.0F, lo + 100, lo, lo + 255}, {2.0F, lo, lo, lo + 255}},
      {{0.05F, lo + 117, lo, lo + 255},
       {0.03F, lo + 100, lo, lo + 255},
       {0.07F, lo + 128, lo + 9, lo + 250}},
      {{0.033F, lo + 3, lo, lo + 255},
       {0.011F, lo + 255, lo, lo + 255},
       {0.022F, lo + 100, lo, lo + 255}}};
  int fused_differs = 0;
  for (const auto& [a_q, b_q, out_q] : scales) {
    for (const bool relu : {false, true}) {
      std::vector<Q> expected(in.a.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] = by_definition(in.a[i], a_q, in.b[i], b_q, out_q, relu);
        const float product = static_cast<float>(in.b[i] - b_q.zero_point) * b_q.scale;
        const float fused =
            std::fma(static_cast<float>(in.a[i] - a_q.zero_point), a_q.scale, product);
        fused_differs += !relu && reference::quantize<Q>(fused, quantizer_of(out_q)) != expected[i];
      }
      samples::guarded<Q> scalar(expected.size());
      reference::add({65536}, in.a.data(), a_q, in.b.data(), b_q, out_q, scalar.data(), relu);
      CHECK(scalar.holds(expected));
      samples::guarded<Q> vector(expected.size());
      simd::add<isa::native>({65536}, in.a.data(), a_q, in.b.data(), b_q, out_q, vector.data(),
                             relu);
      CHECK(vector.holds(expected));
    }
  }
  CHECK(fused_differs > 0);  // or this test would not see a fused product
}

TEST_CASE_TEMPLATE("simd add on integers gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  const auto qs = samples::qparams<Q>();
  for (std::size_t k = 0; k < qs.size() * qs.size(); ++k) {
    const qparams& a_q = qs[k % qs.size()];
    const qparams& b_q = qs[k / qs.size()];
    const qparams& out_q = qs[(k * 5 + k / 7) % qs.size()];
    for (const int n : samples::lengths()) {
      CAPTURE(k);
      CAPTURE(n);
      const bool relu = n % 2 == 0;
      const auto count = static_cast<std::size_t>(n);
      const auto a = samples::integers<Q>(count, 11U + static_cast<unsigned>(n));
      const auto b = samples::integers<Q>(count, 12U + static_cast<unsigned>(k));
      std::vector<Q> expected(count);
      reference::add({n}, a.data(), a_q, b.data(), b_q, out_q, expected.data(), relu);
      samples::guarded<Q> out(count);
      simd::add<isa::native>({n}, a.data(), a_q, b.data(), b_q, out_q, out.data(), relu);
      CHECK(out.holds(expected));
      samples::guarded<Q> onto_a(a), onto_b(b);
      simd::add<isa::native>({n}, onto_a.data(), a_q, b.data(), b_q, out_q, onto_a.data(), relu);
      simd::add<isa::native>({n}, a.data(), a_q, onto_b.data(), b_q, out_q, onto_b.data(), relu);
      CHECK(onto_a.holds(expected));
      CHECK(onto_b.holds(expected));
    }
  }
}

TEST_CASE("simd add on floats gives the bits of the reference") {
  for (const int n : samples::lengths()) {
    for (const bool relu : {false, true}) {
      CAPTURE(n);
      const auto count = static_cast<std::size_t>(n);
      const auto a = samples::floats(count, 21U + static_cast<unsigned>(n));
      const auto b = samples::plain_floats(count, 22U + static_cast<unsigned>(n));
      std::vector<float> expected(count);
      reference::add({n}, a.data(), b.data(), expected.data(), relu);
      samples::guarded<float> out(count), onto_a(a);
      simd::add<isa::native>({n}, a.data(), b.data(), out.data(), relu);
      CHECK(out.holds(expected));
      simd::add<isa::native>({n}, onto_a.data(), b.data(), onto_a.data(), relu);
      CHECK(onto_a.holds(expected));
    }
  }
}

TEST_CASE_TEMPLATE("simd add equals the reference on random operands", Q, std::uint8_t,
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
    reference::add({n}, a.data(), a_q, b.data(), b_q, out_q, expected.data(), relu);
    const samples::guarded<Q> out(count);
    simd::add<isa::native>({n}, a.data(), a_q, b.data(), b_q, out_q, out.data(), relu);
    CHECK(out.holds(expected));
  }
}
