// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/add_within_one_step.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr word_sum sum_of(float a, float b, float out) {
  return {a, 0, b, 0, quantizer_of({out, 0, -128, 127}), 0};
}
static_assert(sum_of(0.05F, 0.03F, 0.07F).fraction == 8);
static_assert(sum_of(0.2F, 0.03F, 0.15F).fraction == 7);
static_assert(!sum_of(100.0F, 1.0F, 1.0F).usable());

/// All pairs of bytes.
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

}  // namespace

TEST_CASE_TEMPLATE("every pair of bytes is added within one step, whatever the scales", Q,
                   std::uint8_t, std::int8_t) {
  const all_pairs<Q> in;
  std::mt19937 random(1);
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const auto any = [&] {
    const int zero_points[] = {0, 255, 128, static_cast<int>(random() % 256)};
    const float scale = 0.001F * static_cast<float>(1 + random() % (random() % 2 ? 1000 : 30));
    return qparams{scale, lo + zero_points[random() % 4], lo, lo + 255};
  };
  std::vector<Q> exact(65536), near(65536);
  int apart = 0;
  for (int turn = 0; turn < 60; ++turn) {
    const qparams a_q = any(), b_q = any(), out_q = any();
    const bool relu = turn % 4 == 0;
    simd::add<isa::native>({65536}, in.a.data(), a_q, in.b.data(), b_q, out_q, exact.data(), relu);
    simd::add_within_one_step<isa::native>({65536}, in.a.data(), a_q, in.b.data(), b_q, out_q,
                                           near.data(), relu);
    int worst = 0;
    for (std::size_t i = 0; i < 65536; ++i) {
      worst = std::max(worst, std::abs(exact[i] - near[i]));
      apart += exact[i] != near[i];
    }
    CHECK(worst <= 1);
  }
  CHECK(apart > 0);  // or the promise would be too weak
  CHECK(apart < 60 * 65536 / 20);
}

TEST_CASE_TEMPLATE("simd add_within_one_step gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  const auto qs = samples::qparams<Q>();
  for (std::size_t k = 0; k < qs.size() * qs.size(); ++k) {
    const qparams& a_q = qs[k % qs.size()];
    const qparams& b_q = qs[(k % 3 == 0 ? k : k / qs.size()) % qs.size()];
    const qparams& out_q = qs[(k % 5 == 0 ? k : k * 5 + k / 7) % qs.size()];
    for (const int n : samples::lengths()) {
      if (n > 70 && n % 2 == 0) continue;
      const bool relu = n % 3 == 0;
      const auto count = static_cast<std::size_t>(n);
      const auto a = samples::integers<Q>(count, 11U + static_cast<unsigned>(n));
      const auto b = samples::integers<Q>(count, 12U + static_cast<unsigned>(k));
      std::vector<Q> expected(count);
      reference::add_within_one_step({n}, a.data(), a_q, b.data(), b_q, out_q, expected.data(),
                                     relu);
      samples::guarded<Q> out(count), onto_a(a), onto_b(b);
      simd::add_within_one_step<isa::native>({n}, a.data(), a_q, b.data(), b_q, out_q, out.data(),
                                             relu);
      CHECK(out.holds(expected));
      simd::add_within_one_step<isa::native>({n}, onto_a.data(), a_q, b.data(), b_q, out_q,
                                             onto_a.data(), relu);
      CHECK(onto_a.holds(expected));
      simd::add_within_one_step<isa::native>({n}, a.data(), a_q, onto_b.data(), b_q, out_q,
                                             onto_b.data(), relu);
      CHECK(onto_b.holds(expected));
    }
  }
}
