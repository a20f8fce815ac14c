// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/requantize.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/random_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("requantize scales accumulators, rounds ties to even and clamps") {
  const std::vector<std::int32_t> in = {0, 1, 3, 5, -1, -3, 1000000, -1000000};
  std::vector<std::uint8_t> out(in.size());
  reference::requantize({8}, in.data(), 0.5F, {10, 5, 200}, out.data());
  CHECK(out == std::vector<std::uint8_t>{10, 10, 12, 12, 10, 8, 200, 5});
}

TEST_CASE_TEMPLATE("simd requantize of accumulators gives the bytes of the reference", Q,
                   std::uint8_t, std::int8_t) {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const output_range ranges[] = {{lo, lo, lo + 255},
                                 {lo + 255, lo, lo + 255},
                                 {lo + 128, lo + 128, lo + 250},
                                 {lo + 3, lo + 1, lo + 1}};
  for (const output_range& to : ranges) {
    for (const float multiplier : {0.5F, 0.25F, 0.0371F, 1.0F, 0x1p-30F, 3.3e-6F}) {
      for (const int n : samples::lengths()) {
        samples::generator random(static_cast<unsigned>(n));
        std::vector<std::int32_t> in(static_cast<std::size_t>(n));
        // Ties, results beyond 16 bits, and the largest allowed accumulators.
        for (std::int32_t& x : in) {
          x = static_cast<std::int32_t>(random());
          x = random() % 4 == 0 ? std::clamp(x, -2147483000, 2147483000) : x >> (random() % 24 + 7);
        }
        std::vector<Q> expected(in.size());
        reference::requantize({n}, in.data(), multiplier, to, expected.data());
        samples::guarded<Q> out(in.size());
        simd::requantize<isa::native>({n}, in.data(), multiplier, to, out.data());
        CHECK(out.holds(expected));
      }
    }
  }
}

TEST_CASE_TEMPLATE("simd requantize equals the reference on random operands", Q, std::uint8_t,
                   std::int8_t) {
  // Accumulators of up to 24 bits and multipliers from 2^-20 to 1.
  const auto multiplier = [](const qparams& q) {
    int exponent;
    const float fraction = std::frexp(q.scale, &exponent);
    return std::ldexp(fraction, -std::abs(exponent) % 20);
  };
  samples::check_random<Q, Q>(
      [](std::size_t n, unsigned seed, const qparams&) {
        samples::generator random(seed);
        std::vector<std::int32_t> sums(n);
        for (std::int32_t& x : sums) x = static_cast<std::int32_t>(random()) >> (random() % 24 + 7);
        return sums;
      },
      [&](elementwise_shape shape, const std::int32_t* in, const qparams& q, Q* out) {
        reference::requantize(shape, in, multiplier(q), {q.zero_point, q.quant_min, q.quant_max},
                              out);
      },
      [&](elementwise_shape shape, const std::int32_t* in, const qparams& q, Q* out) {
        simd::requantize<isa::native>(shape, in, multiplier(q),
                                      {q.zero_point, q.quant_min, q.quant_max}, out);
      });
}

namespace {

template <class Q, class R>
void compare(const qparams& from, const qparams& to) {
  for (const int n : samples::lengths()) {
    CAPTURE(from.scale);
    CAPTURE(to.scale);
    CAPTURE(n);
    const auto in =
        samples::integers<Q>(static_cast<std::size_t>(n), 3U + static_cast<unsigned>(n));
    std::vector<R> expected(in.size());
    reference::requantize({n}, in.data(), from, to, expected.data());
    samples::guarded<R> out(in.size());
    simd::requantize<isa::native>({n}, in.data(), from, to, out.data());
    CHECK(out.holds(expected));
    if constexpr (std::is_same_v<Q, R>) {
      samples::guarded<Q> same(in);
      simd::requantize<isa::native>({n}, same.data(), from, to, same.data());
      CHECK(same.holds(expected));
    }
  }
}

}  // namespace

TEST_CASE("requantize dequantizes and quantizes") {
  const std::vector<std::uint8_t> in = {0, 10, 11, 12, 13, 255};
  std::vector<std::int8_t> out(in.size());
  reference::requantize({6}, in.data(), {0.5F, 10, 0, 255}, {1.0F, -5, -128, 127}, out.data());
  CHECK(out == std::vector<std::int8_t>{-10, -5, -5, -4, -3, 117});
}

TEST_CASE_TEMPLATE("simd requantize gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  for (const qparams& from : samples::qparams<Q>()) {
    for (const qparams& to : samples::qparams<Q>()) compare<Q, Q>(from, to);
    for (const qparams& to : samples::qparams<std::uint8_t>()) compare<Q, std::uint8_t>(from, to);
    for (const qparams& to : samples::qparams<std::int8_t>()) compare<Q, std::int8_t>(from, to);
  }
}

TEST_CASE("requantize with equal qparams only clamps, for any scale") {
  std::vector<std::uint8_t> in(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i);
  for (unsigned bits = 0x00800000U; bits <= 0x7A800000U; bits += 0x000FFFF1U) {
    float scale;
    std::memcpy(&scale, &bits, sizeof scale);
    const qparams from{scale, 101, 0, 255};
    const qparams to{scale, 101, 3, 250};
    REQUIRE(same_scale_and_zero_point(from, to));
    std::vector<std::uint8_t> expected(in.size());
    reference::requantize({256}, in.data(), from, to, expected.data());
    samples::guarded<std::uint8_t> out(in.size());
    simd::requantize<isa::native>({256}, in.data(), from, to, out.data());
    REQUIRE(out.holds(expected));
  }
}

TEST_CASE_TEMPLATE("simd requantize from integers equals the reference on random operands", Q,
                   std::uint8_t, std::int8_t) {
  samples::check_random_steps<Q>(
      [](auto... operands) { reference::requantize(operands...); },
      [](auto... operands) { simd::requantize<isa::native>(operands...); });
}

TEST_CASE_TEMPLATE("long tensors of every integer are requantized to those of the reference", Q,
                   std::uint8_t, std::int8_t) {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const qparams from{0.05F, lo + 117, lo, lo + 255};
  for (const qparams& to :
       {qparams{0.07F, lo + 128, lo, lo + 255}, qparams{0.01F, lo, lo, lo + 200},
        qparams{0x1p-40F, lo + 3, lo, lo + 255}}) {
    for (const int n : {1023, 1024, 1025, 4100}) {
      const auto in = samples::integers<Q>(static_cast<std::size_t>(n), 5);
      std::vector<Q> expected(in.size());
      reference::requantize({n}, in.data(), from, to, expected.data());
      const samples::fenced<Q> fenced(in);
      samples::guarded<Q> out(in.size());
      simd::requantize<isa::native>({n}, fenced.data(), from, to, out.data());
      CHECK(out.holds(expected));
      std::vector<Q> in_place = in;
      simd::requantize<isa::native>({n}, in_place.data(), from, to, in_place.data());
      CHECK(in_place == expected);
    }
  }
}
