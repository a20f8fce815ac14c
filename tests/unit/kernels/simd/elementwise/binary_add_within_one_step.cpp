// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/binary_add_within_one_step.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "kernels/pair_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr int16_sum sum_of(float a, float b, float out) {
  return {a, 0, b, 0, quantizer_of({out, 0, -128, 127}), 0};
}
static_assert(sum_of(0.05F, 0.03F, 0.07F).fraction == 8);
static_assert(sum_of(0.2F, 0.03F, 0.15F).fraction == 7);
static_assert(!sum_of(100.0F, 1.0F, 1.0F).usable());

constexpr auto by_reference = [](auto... operands) {
  reference::binary_add_within_one_step(operands...);
};
constexpr auto by_simd = [](auto... operands) {
  simd::binary_add_within_one_step<isa::native>(operands...);
};

}  // namespace

TEST_CASE_TEMPLATE("every pair of bytes gives a result within 1 of add, for all scales", Q,
                   std::uint8_t, std::int8_t) {
  const samples::all_pairs<Q> in;
  samples::generator random(1);
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
    simd::binary_add<isa::native>({65536}, in.a.data(), a_q, in.b.data(), b_q, out_q, exact.data(),
                                  relu);
    simd::binary_add_within_one_step<isa::native>({65536}, in.a.data(), a_q, in.b.data(), b_q,
                                                  out_q, near.data(), relu);
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

TEST_CASE_TEMPLATE("simd binary_add_within_one_step gives the bytes of the reference", Q,
                   std::uint8_t, std::int8_t) {
  samples::check_pairs<Q>(by_reference, by_simd);
}

TEST_CASE_TEMPLATE("simd binary_add_within_one_step equals the reference on random operands", Q,
                   std::uint8_t, std::int8_t) {
  samples::check_random_pairs<Q>(by_reference, by_simd);
}
