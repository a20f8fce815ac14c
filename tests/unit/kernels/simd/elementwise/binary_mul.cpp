// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/binary_mul.hpp"

#include <doctest/doctest.h>

#include "kernels/pair_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr auto by_reference = [](auto... operands) { reference::binary_mul(operands...); };
constexpr auto by_simd = [](auto... operands) { simd::binary_mul<isa::native>(operands...); };

}  // namespace

TEST_CASE("binary_mul multiplies dequantized values") {
  const std::vector<std::uint8_t> a = {10, 14, 0, 255}, b = {7, 6, 0, 255};
  std::vector<std::uint8_t> out(4);
  const qparams a_q{0.5F, 10, 0, 255}, b_q{0.25F, 2, 0, 255}, out_q{0.5F, 7, 0, 255};
  reference::binary_mul({4}, a.data(), a_q, b.data(), b_q, out_q, out.data(), false);
  CHECK(out == std::vector<std::uint8_t>{7, 11, 12, 255});  // 0, 2, 2.5, 7748.4
}

TEST_CASE_TEMPLATE("simd binary_mul on integers gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  samples::check_pairs<Q>(by_reference, by_simd);
}

TEST_CASE("simd binary_mul on floats gives the bits of the reference") {
  samples::check_float_pairs(by_reference, by_simd);
}

TEST_CASE_TEMPLATE("simd binary_mul equals the reference on random operands", Q, std::uint8_t,
                   std::int8_t) {
  samples::check_random_pairs<Q>(by_reference, by_simd);
}
