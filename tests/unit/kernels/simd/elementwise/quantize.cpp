// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/quantize.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/random_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("quantize rounds ties to even and adds the zero point after rounding") {
  const std::vector<float> in = {0.0F, 0.25F, 0.75F, 1.25F, -0.25F, -0.75F, 0.74F};
  std::vector<std::uint8_t> out(in.size());
  reference::quantize({static_cast<int>(in.size())}, in.data(), {0.5F, 11, 0, 255}, out.data());
  CHECK(out == std::vector<std::uint8_t>{11, 11, 13, 13, 11, 9, 12});
}

TEST_CASE("quantize clamps to the bounds and maps NaN to the zero point") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> in = {inf, -inf, std::nanf(""), 1e30F, -1e30F, 12.5F, -20.0F};
  std::vector<std::int8_t> out(in.size());
  reference::quantize({static_cast<int>(in.size())}, in.data(), {0.1F, 5, -127, 100}, out.data());
  CHECK(out == std::vector<std::int8_t>{100, -127, 5, 100, -127, 100, -127});
}

TEST_CASE_TEMPLATE("simd quantize gives the bytes of the reference", Q, std::uint8_t, std::int8_t) {
  for (const qparams& p : samples::qparams<Q>()) {
    for (const int n : samples::lengths()) {
      CAPTURE(p.scale);
      CAPTURE(n);
      const auto in =
          samples::floats(static_cast<std::size_t>(n), 1U + static_cast<unsigned>(n), p.scale);
      std::vector<Q> expected(in.size());
      reference::quantize({n}, in.data(), p, expected.data());
      samples::guarded<Q> out(in.size());
      simd::quantize<isa::native>({n}, in.data(), p, out.data());
      CHECK(out.holds(expected));
    }
  }
}

TEST_CASE_TEMPLATE("a value that exceeds int32 does not affect its neighbours", Q, std::uint8_t,
                   std::int8_t) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const qparams p{0.1F, lo + 100, lo, lo + 255};
  for (const float odd : {std::nanf(""), inf, -inf, 3e8F, -3e8F, 3.4e38F, -3276.8F, -3276.9F}) {
    for (std::size_t at = 0; at < 64; ++at) {
      std::vector<float> in(64, 1.25F);
      in[at] = odd;
      std::vector<Q> expected(64);
      reference::quantize({64}, in.data(), p, expected.data());
      samples::guarded<Q> out(64);
      simd::quantize<isa::native>({64}, in.data(), p, out.data());
      CHECK(out.holds(expected));
    }
  }
}

TEST_CASE_TEMPLATE("simd quantize with a scale per channel gives the bytes of the reference", Q,
                   std::uint8_t, std::int8_t) {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  for (const int channels : {1, 3, 16, 31, 32, 63, 64, 65, 100, 128, 130}) {
    std::vector<float> scale;
    std::vector<std::int32_t> zero_point;
    for (int c = 0; c < channels; ++c) {
      scale.push_back(0.01F + 0.003F * static_cast<float>(c % 17));
      zero_point.push_back(lo + c * 7 % 256);
    }
    for (const int rows : {0, 1, 5}) {
      const auto count = static_cast<std::size_t>(rows * channels);
      const auto in = samples::floats(count, static_cast<unsigned>(channels), 0.02F);
      std::vector<Q> expected(count);
      reference::quantize({rows, channels}, in.data(), scale.data(), zero_point.data(), lo,
                          lo + 255, expected.data());
      samples::guarded<Q> out(count);
      simd::quantize<isa::native>({rows, channels}, in.data(), scale.data(), zero_point.data(), lo,
                                  lo + 255, out.data());
      CHECK(out.holds(expected));
    }
  }
}

TEST_CASE("one channel with another zero point is seen, wherever it is") {
  constexpr int channels = 64;
  const std::vector<float> in(channels, 0.5F), scale(channels, 0.05F);
  for (std::size_t odd = 0; odd < channels; ++odd) {
    std::vector<std::int32_t> zero_point(channels, 3);
    zero_point[odd] = 40;
    std::vector<std::uint8_t> expected(channels), out(channels);
    reference::quantize({1, channels}, in.data(), scale.data(), zero_point.data(), 0, 255,
                        expected.data());
    simd::quantize<isa::native>({1, channels}, in.data(), scale.data(), zero_point.data(), 0, 255,
                                out.data());
    CHECK(out == expected);
  }
}

TEST_CASE(
    "quantize with a scale per channel gives the same bytes with non-temporal stores, at any "
    "alignment") {
  constexpr std::size_t count = std::size_t{130} * 53'000;
  auto in = samples::plain_floats(count, 4);
  for (std::size_t i = 1000; i < count; i += 100'003)
    in[i] = std::numeric_limits<float>::quiet_NaN();
  std::vector<std::int8_t> expected(count), memory(count + 130);
  // The first three numbers of channels fill a register of some instruction set.
  for (const int channels : {16, 32, 64, 128, 130}) {
    CAPTURE(channels);
    const int rows = static_cast<int>(count) / channels;
    const auto results = static_cast<std::size_t>(rows) * static_cast<std::size_t>(channels);
    std::vector<float> scale(static_cast<std::size_t>(channels), 0.05F);
    const std::vector<std::int32_t> zero_point(scale.size(), 3);
    scale[7] = 0.03F;
    reference::quantize({rows, channels}, in.data(), scale.data(), zero_point.data(), -100, 100,
                        expected.data());
    const std::size_t past = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
    for (const std::size_t start : {64 - past, 65 - past}) {
      std::fill(memory.begin(), memory.end(), std::int8_t{0x5A});
      simd::quantize<isa::native>({rows, channels}, in.data(), scale.data(), zero_point.data(),
                                  -100, 100, memory.data() + start);
      CHECK(std::memcmp(memory.data() + start, expected.data(), results) == 0);
      CHECK(memory[start - 1] == 0x5A);
      CHECK(memory[start + results] == 0x5A);
    }
  }
}

TEST_CASE("quantize gives the same bytes with non-temporal stores, at any alignment") {
  const qparams p{0.05F, 117, 0, 255};
  constexpr int count = (7 << 20) + 5;
  const auto in = samples::plain_floats(count + 1, 3);
  std::vector<std::uint8_t> expected(count);
  reference::quantize({count}, in.data(), p, expected.data());
  std::vector<std::uint8_t> memory(count + 130, 0xA5);
  for (const std::size_t start : {0U, 1U, 37U, 63U, 64U}) {
    std::fill(memory.begin(), memory.end(), std::uint8_t{0xA5});
    simd::quantize<isa::native>({count}, in.data(), p, memory.data() + start);
    CHECK(std::memcmp(memory.data() + start, expected.data(), count) == 0);
    CHECK((start == 0 || memory[start - 1] == 0xA5));
    CHECK(memory[start + count] == 0xA5);
  }
}

TEST_CASE("quantize along any axis uses the parameters of each channel") {
  const float scale[] = {0.5F, 0.25F, 2.0F};
  const std::int32_t zero_point[] = {0, 7, 255};
  for (const int inner : {1, 3, 16, 70}) {
    const auto count = static_cast<std::size_t>(2 * 3 * inner);
    const auto in = samples::floats(count, 5);
    std::vector<std::uint8_t> expected;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t c = i / static_cast<std::size_t>(inner) % 3;
      expected.push_back(reference::quantize<std::uint8_t>(
          in[i], quantizer_of({scale[c], zero_point[c], 0, 255})));
    }
    samples::guarded<std::uint8_t> out(count);
    simd::quantize_per_channel<isa::native>({2, 3, inner}, in.data(), scale, zero_point, 0, 255,
                                            out.data());
    CHECK(out.holds(expected));
  }
}

TEST_CASE_TEMPLATE("simd quantize equals the reference on random operands", Q, std::uint8_t,
                   std::int8_t) {
  samples::check_random<Q, Q>([](std::size_t n, unsigned seed,
                                 const qparams& q) { return samples::floats(n, seed, q.scale); },
                              [](auto... operands) { reference::quantize(operands...); },
                              [](auto... operands) { simd::quantize<isa::native>(operands...); });
}

TEST_CASE_TEMPLATE("simd quantize along any axis equals the reference on random operands", Q,
                   std::uint8_t, std::int8_t) {
  samples::check_random_channels<Q, Q>(
      [](auto... operands) { reference::quantize_per_channel(operands...); },
      [](auto... operands) { simd::quantize_per_channel<isa::native>(operands...); });
}
