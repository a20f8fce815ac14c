// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/binary_add.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "kernels/pair_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// The definition with every intermediate result rounded to float.
template <class Q>
Q by_definition(Q a, const qparams& a_q, Q b, const qparams& b_q, const qparams& out_q, bool relu) {
  volatile float x = static_cast<float>(a - a_q.zero_point) * a_q.scale;
  volatile float y = static_cast<float>(b - b_q.zero_point) * b_q.scale;
  volatile float sum = x + y;
  const float kept = relu && sum < 0.0F ? 0.0F : sum;
  return reference::quantize<Q>(kept, quantizer_of(out_q));
}

constexpr auto by_reference = [](auto... operands) { reference::binary_add(operands...); };
constexpr auto by_simd = [](auto... operands) { simd::binary_add<isa::native>(operands...); };

}  // namespace

TEST_CASE("binary_add sums dequantized values and rounds once") {
  const std::vector<std::uint8_t> a = {10, 20, 0, 255};
  const std::vector<std::uint8_t> b = {0, 5, 0, 255};
  std::vector<std::uint8_t> out(4);
  const qparams a_q{0.5F, 10, 0, 255}, b_q{0.25F, 0, 0, 255}, out_q{0.5F, 7, 0, 255};
  reference::binary_add({4}, a.data(), a_q, b.data(), b_q, out_q, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{7, 19, 0, 255});  // 0, 6.25, -5, 186.25
  reference::binary_add({4}, a.data(), a_q, b.data(), b_q, out_q, out.data(), true);
  CHECK(out == std::vector<std::uint8_t>{7, 19, 7, 255});
}

TEST_CASE_TEMPLATE("a product is rounded before it is added", Q, std::uint8_t, std::int8_t) {
  const samples::all_pairs<Q> in;
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const qparams scales[][3] = {
      {{0.1F, lo, lo, lo + 255}, {0.3F, lo, lo, lo + 255}, {0.2F, lo, lo, lo + 255}},
      {{0.7F, lo + 128, lo, lo + 255},
       {0.1F, lo + 99, lo, lo + 255},
       {0.4F, lo + 120, lo, lo + 255}},
      // Ties in every other sum, or in none.
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
      reference::binary_add({65536}, in.a.data(), a_q, in.b.data(), b_q, out_q, scalar.data(),
                            relu);
      CHECK(scalar.holds(expected));
      samples::guarded<Q> vector(expected.size());
      simd::binary_add<isa::native>({65536}, in.a.data(), a_q, in.b.data(), b_q, out_q,
                                    vector.data(), relu);
      CHECK(vector.holds(expected));
    }
  }
  CHECK(fused_differs > 0);  // or this test would not see a fused product
}

TEST_CASE_TEMPLATE("simd binary_add on integers gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  samples::check_pairs<Q>(by_reference, by_simd);
}

TEST_CASE("simd binary_add on floats gives the bits of the reference") {
  samples::check_float_pairs(by_reference, by_simd);
}

TEST_CASE_TEMPLATE("simd binary_add equals the reference on random operands", Q, std::uint8_t,
                   std::int8_t) {
  samples::check_random_pairs<Q>(by_reference, by_simd);
}
