// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/register_sse2.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>

using namespace ctq::kernels::simd;

#if defined(__SSE2__)

namespace {

using xmm = register_sse2;
using words = std::array<std::int16_t, 8>;
using bytes = std::array<std::int8_t, 16>;

/// Random integers and, often, the extremes, where sums saturate.
template <class Integers>
Integers random_integers(std::minstd_rand& random) {
  using integer = typename Integers::value_type;
  constexpr std::array<integer, 4> extremes{std::numeric_limits<integer>::min(),
                                            std::numeric_limits<integer>::max(), -1, 0};
  Integers all;
  for (integer& x : all)
    x = random() % 2 == 0 ? extremes[random() % 4] : static_cast<integer>(random() >> 8);
  return all;
}

template <class Integers>
Integers saved(xmm::vec x) {
  Integers all;
  xmm::save(all.data(), x);
  return all;
}

/// Calls check(a, b) for pairs of registers.
template <class Integers, class Check>
void for_random_pairs(int count, Check check) {
  std::minstd_rand random;
  for (int i = 0; i < count; ++i) {
    const auto a = random_integers<Integers>(random);
    const auto b = random_integers<Integers>(random);
    check(a, b);
  }
}

TEST_CASE("16-bit products round half up, as pmulhrsw") {
  for_random_pairs<words>(20000, [](const words& a, const words& b) {
    words expected;
    for (std::size_t j = 0; j < a.size(); ++j)
      expected[j] = static_cast<std::int16_t>((a[j] * b[j] + (1 << 14)) >> 15);
    CHECK(saved<words>(xmm::multiply16(xmm::load(a.data()), xmm::load(b.data()))) == expected);
  });
}

TEST_CASE("sums of two products of bytes saturate, as pmaddubsw") {
  for_random_pairs<bytes>(20000, [](const bytes& a, const bytes& b) {
    words expected;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      const auto product = [&](std::size_t k) { return static_cast<std::uint8_t>(a[k]) * b[k]; };
      expected[j] =
          static_cast<std::int16_t>(std::clamp(product(2 * j) + product(2 * j + 1), -32768, 32767));
    }
    CHECK(saved<words>(xmm::products8(xmm::load(a.data()), xmm::load(b.data()))) == expected);
  });
}

TEST_CASE("minimum and maximum know the sign of bytes") {
  for_random_pairs<bytes>(1000, [](const bytes& a, const bytes& b) {
    bytes least, most, least_unsigned, most_unsigned;
    for (std::size_t j = 0; j < a.size(); ++j) {
      const bool less = static_cast<std::uint8_t>(a[j]) < static_cast<std::uint8_t>(b[j]);
      least[j] = std::min(a[j], b[j]);
      most[j] = std::max(a[j], b[j]);
      least_unsigned[j] = less ? a[j] : b[j];
      most_unsigned[j] = less ? b[j] : a[j];
    }
    const xmm::vec x = xmm::load(a.data());
    const xmm::vec y = xmm::load(b.data());
    CHECK(saved<bytes>(xmm::min8<std::int8_t>(x, y)) == least);
    CHECK(saved<bytes>(xmm::max8<std::int8_t>(x, y)) == most);
    CHECK(saved<bytes>(xmm::min8<std::uint8_t>(x, y)) == least_unsigned);
    CHECK(saved<bytes>(xmm::max8<std::uint8_t>(x, y)) == most_unsigned);
  });
}

TEST_CASE("bytes widen with their sign, and narrow again") {
  for (int first = 0; first < 256; first += 8) {
    std::array<std::uint8_t, 8> in;
    words expected, expected_signed;
    for (std::size_t j = 0; j < in.size(); ++j) {
      in[j] = static_cast<std::uint8_t>(first + static_cast<int>(j));
      expected[j] = in[j];
      expected_signed[j] = static_cast<std::int8_t>(in[j]);
    }
    const auto* const with_sign = reinterpret_cast<const std::int8_t*>(in.data());
    CHECK(saved<words>(xmm::widen(in.data())) == expected);
    CHECK(saved<words>(xmm::widen(with_sign)) == expected_signed);
    using integers = std::array<std::int32_t, 4>;
    const auto wide = saved<integers>(xmm::widen32(in.data()));
    const auto wide_signed = saved<integers>(xmm::widen32(with_sign));
    CHECK(std::equal(wide.begin(), wide.end(), expected.begin()));
    CHECK(std::equal(wide_signed.begin(), wide_signed.end(), expected_signed.begin()));
    for (const integers& x : {wide, wide_signed}) {
      std::array<std::uint8_t, 4> out;
      xmm::narrow_store(xmm::load(x.data()), out.data());
      CHECK(std::equal(out.begin(), out.end(), in.begin()));
    }
  }
}

}  // namespace

#endif
