// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/integer_arithmetic.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "ctq/kernels/simd/elementwise/requantize.hpp"
#include "samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// Double keeps the product of two float32 exactly, and a quotient well enough: rounded to float32
/// each is what one float32 operation gives.
float multiplied(float a, float b) { return static_cast<float>(double{a} * double{b}); }

float exact_multiplier(float scale_in, float scale_weight, float scale_out) {
  return multiplied(multiplied(scale_weight, scale_in),
                    static_cast<float>(1.0 / double{scale_out}));
}

std::int32_t exact_requantize(std::int32_t acc, float multiplier, const output_range& to) {
  const float scaled = multiplied(static_cast<float>(acc), multiplier);
  const double q = std::nearbyint(double{scaled}) + to.zero_point;
  return static_cast<std::int32_t>(std::clamp(q, double(to.lo), double(to.hi)));
}

}  // namespace

TEST_CASE("multipliers are computed in QNNPACK's order, which decides about a step") {
  const float m = output_multiplier(0x1.5bd468p-6F, 0x1.92f518p-4F, 0x1.23cc62p+0F);
  CHECK(requantize(51028, m, {0, 0, 255}) == 94);
  // Rounded once from the exact quotient it would be the other side of a tie.
  const auto once =
      static_cast<float>(double{0x1.5bd468p-6F} * double{0x1.92f518p-4F} / double{0x1.23cc62p+0F});
  CHECK(requantize(51028, once, {0, 0, 255}) == 93);
}

TEST_CASE("multipliers, bias steps and sums near ties of ten million random scales") {
  samples::generator random(14);
  const auto scale = [&random] {  // 2^-16 to 2^4, any mantissa
    const std::uint32_t exponent = 111 + random() % 20;
    return std::bit_cast<float>(exponent << 23 | random() >> 9);
  };
  constexpr output_range to{3, 0, 255};
  int wrong_multipliers = 0, wrong_biases = 0, wrong_steps = 0, wrong_vectors = 0;
  for (int i = 0; i < 10'000'000; ++i) {
    const float in = scale(), weight = scale(), out = scale();
    const float m = output_multiplier(in, weight, out);
    wrong_multipliers += m != exact_multiplier(in, weight, out) ? 1 : 0;
    // One of the sums on either side of a tie, as far as it is an int32.
    const double step = static_cast<double>(random() % 256) - 3.5;
    const double tie = std::clamp(step / double{m}, -2147483000.0, 2147483000.0);
    const auto acc = static_cast<std::int32_t>(tie) + static_cast<int>(random() % 3) - 1;
    wrong_steps += requantize(acc, m, to) != exact_requantize(acc, m, to) ? 1 : 0;
    const float bias = m * static_cast<float>(acc);
    const auto inverse = static_cast<float>(1.0 / double{multiplied(in, weight)});
    const float steps = std::nearbyint(multiplied(bias, inverse));
    wrong_biases += bias_steps(bias, in, weight) != steps ? 1 : 0;
    if (i % 64 != 0) continue;
    std::array<std::int32_t, 33> sums{};
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = acc + static_cast<int>(k) - 16;
    std::array<std::uint8_t, 33> q{};
    simd::requantize<isa::native>({33}, sums.data(), m, to, q.data());
    for (std::size_t k = 0; k < sums.size(); ++k)
      wrong_vectors += q[k] != exact_requantize(sums[k], m, to) ? 1 : 0;
  }
  CHECK(wrong_multipliers == 0);
  CHECK(wrong_biases == 0);
  CHECK(wrong_steps == 0);
  CHECK(wrong_vectors == 0);
}

TEST_CASE("the input's zero point is folded into the bias") {
  channel_sums sums;
  for (const int w : {10, -3}) sums.add(w);
  CHECK(sums.of_weights == 7);
  CHECK(sums.of_sizes == 13);
  const auto c = channel_arithmetic_of(1.0F, sums, {.scale = 0.5F, .zero_point = 3}, quint8, 0.5F,
                                       2.0F, quint8);
  CHECK(c.exact);
  CHECK(c.bias == 4 - 3 * 7);
  CHECK(c.multiplier == 0.125F);
}

TEST_CASE("what could leave int32 is not exact, but for channels of zeros") {
  const channel_sums one{1, 1}, none{}, largest{0, 8421504}, too_large{0, 8421505};
  CHECK(!channel_arithmetic_of(3.0F, one, {.scale = 1.0F}, quint8, 1e-9F, 1.0F, quint8).exact);
  const auto dead =
      channel_arithmetic_of(3.0F, none, {.scale = 1.0F}, quint8, 1e-38F, 0.5F, quint8);
  CHECK(dead.exact);
  CHECK(dead.bias == 6);
  CHECK(dead.multiplier == 1.0F);
  CHECK(
      channel_arithmetic_of(0.0F, largest, {.scale = 0x1p-10F}, quint8, 1.0F, 1.0F, quint8).exact);
  CHECK(!channel_arithmetic_of(0.0F, too_large, {.scale = 0x1p-10F}, quint8, 1.0F, 1.0F, quint8)
             .exact);
  CHECK(products_fit(largest));
  CHECK(!products_fit(too_large));
}

TEST_CASE(
    "of int8 inputs the largest is 128, and of floats the product with the multiplier has to fit") {
  const auto is_exact = [](std::int64_t sizes, dtype in, float scale) {
    return channel_arithmetic_of(0.0F, {0, sizes}, {.scale = scale}, in, 1.0F, 1.0F, f32).exact;
  };
  CHECK(largest_input(quint8) == 255);
  CHECK(largest_input(qint8) == 128);
  CHECK(is_exact((1 << 24) - 1, qint8, 0x1p-10F));
  CHECK(!is_exact(1 << 24, qint8, 0x1p-10F));
  CHECK(is_exact(1000, quint8, 8000.0F));
  CHECK(!is_exact(1000, quint8, 9000.0F));
}

TEST_CASE("a multiplier that is too large for int32 is the largest that is not") {
  samples::generator random(15);
  const auto uniform = [&random](float lo, float hi) {
    return lo + (hi - lo) * static_cast<float>(random() >> 8) * 0x1p-24F;
  };
  int wrong = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t sizes = std::int64_t{1} << (random() % 23);
    const float in_scale = std::exp2(uniform(-20.0F, 60.0F));
    const float out_scale = std::exp2(uniform(-60.0F, 0.0F));
    const float bias = uniform(-1.0F, 1.0F) * in_scale;
    const auto c = channel_arithmetic_of(bias, {sizes / 2, sizes}, {.scale = in_scale}, quint8,
                                         1.0F, out_scale, quint8);
    const float wanted = output_multiplier(in_scale, 1.0F, out_scale);
    const double largest =
        std::fabs(static_cast<double>(c.bias)) + 255.0 * static_cast<double>(sizes);
    const output_range to{static_cast<std::int32_t>(random() % 256), 0, 255};
    wrong += c.exact && c.multiplier <= wanted ? 0 : 1;
    wrong += largest * double{c.multiplier} < 2147483648.0 - 512 ? 0 : 1;
    for (const double size : {0x1p-23 * largest + 1.0, 0.7 * largest, largest})
      for (const double sum : {size, -size}) {
        const auto acc = static_cast<std::int32_t>(sum);
        const double exact = std::nearbyint(acc * double{wanted}) + to.zero_point;
        wrong += requantize(acc, c.multiplier, to) == std::clamp(exact, 0.0, 255.0) ? 0 : 1;
      }
  }
  CHECK(wrong == 0);
}

TEST_CASE("channels of zeros give their bias, however small the scale of the output") {
  for (const float out_scale : {1.0F, 1e-7F, 1e-30F})
    for (const float bias : {-300.0F, 0.0F, 3.0F, 1e20F}) {
      const auto c =
          channel_arithmetic_of(bias, {}, {.scale = 0.1F}, quint8, 1e-30F, out_scale, quint8);
      const double exact = std::nearbyint(double{bias} / double{out_scale}) + 128;
      CHECK(c.exact);
      CHECK(requantize(c.bias, c.multiplier, {128, 0, 255}) == std::clamp(exact, 0.0, 255.0));
    }
}

TEST_CASE("bounds begin at the zero point after a relu") {
  const qparams q{.scale = 1.0F, .zero_point = 7, .quant_min = 0, .quant_max = 250};
  CHECK(output_range_of(q, false).lo == 0);
  CHECK(output_range_of(q, true).lo == 7);
  CHECK(output_range_of(q, true).hi == 250);
}
