// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/resampling.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

resampling_shape random_shape(samples::generator& random) {
  resampling_shape s{.batch = random.between(1, 2),
                     .in_h = random.between(1, 5),
                     .in_w = random.between(1, 6),
                     .channels = random.between(1, 40),
                     .out_h = random.between(1, 9),
                     .out_w = random.between(1, 9),
                     .sampling = static_cast<sampling_rule>(random.between(0, 5))};
  s.scale_bits[0] = std::bit_cast<int>(static_cast<float>(s.in_h) / static_cast<float>(s.out_h));
  s.scale_bits[1] = std::bit_cast<int>(static_cast<float>(s.in_w) / static_cast<float>(s.out_w));
  if (s.is_cubic() || random.between(0, 1) == 0) return s;
  s.in_d = random.between(1, 4);
  s.out_d = random.between(1, 5);
  s.scale_bits[2] = std::bit_cast<int>(static_cast<float>(s.in_d) / static_cast<float>(s.out_d));
  return s;
}

template <class T, class... QParams>
void check(const resampling_shape& s, const std::vector<T>& values, const QParams&... q) {
  const samples::fenced in(values);
  const auto count = static_cast<std::size_t>(s.batch * s.out_d * s.out_h * s.out_w * s.channels);
  std::vector<T> expected(count);
  reference::resampling(s, in.data(), q..., expected.data());
  const samples::guarded<T> out(count);
  simd::resampling<isa::native>(s, in.data(), q..., out.data());
  CHECK(out.holds(expected));
}

}  // namespace

TEST_CASE("a row is interpolated, then a column") {
  const resampling_shape s{.batch = 1,
                           .in_h = 1,
                           .in_w = 2,
                           .channels = 1,
                           .out_h = 1,
                           .out_w = 4,
                           .sampling = sampling_rule::linear,
                           .scale_bits = {std::bit_cast<int>(1.0F), std::bit_cast<int>(0.5F)}};
  const float in[] = {0.0F, 8.0F};
  float out[4];
  reference::resampling(s, in, out);
  CHECK(std::vector<float>(out, out + 4) == std::vector<float>{0.0F, 2.0F, 6.0F, 8.0F});
  const std::uint8_t q[] = {10, 15};
  std::uint8_t bytes[4];
  const qparams steps{0.5F, 10, 0, 255};
  reference::resampling(s, q, steps, steps, bytes);  // 1.25 and 3.75 steps
  CHECK(std::vector<int>(bytes, bytes + 4) == std::vector<int>{10, 11, 14, 15});
}

TEST_CASE("planes are interpolated before columns and rows") {
  resampling_shape s{
      .batch = 1,
      .in_h = 1,
      .in_w = 2,
      .channels = 1,
      .out_h = 1,
      .out_w = 1,
      .sampling = sampling_rule::linear,
      .scale_bits = {std::bit_cast<int>(1.0F), std::bit_cast<int>(2.0F), std::bit_cast<int>(0.5F)},
      .in_d = 2,
      .out_d = 4};
  const float in[] = {0.0F, 2.0F, 8.0F, 10.0F};
  float out[4];
  reference::resampling(s, in, out);
  CHECK(std::vector<float>(out, out + 4) == std::vector<float>{1.0F, 3.0F, 7.0F, 9.0F});
  s.sampling = sampling_rule::nearest;
  reference::resampling(s, in, out);
  CHECK(std::vector<float>(out, out + 4) == std::vector<float>{0.0F, 0.0F, 8.0F, 8.0F});
}

TEST_CASE("images of another size equal the reference") {
  samples::for_each_seed(samples::seeds(300), [](samples::generator& random, unsigned seed) {
    const resampling_shape s = random_shape(random);
    const auto count = static_cast<std::size_t>(s.batch * s.in_d * s.in_h * s.in_w * s.channels);
    const qparams q = samples::random_qparams<std::uint8_t>(random);
    auto in = samples::integers<std::uint8_t>(count, seed);
    for (auto& x : in) x = static_cast<std::uint8_t>(std::clamp<int>(x, q.quant_min, q.quant_max));
    check(s, in, q, q);
    const qparams from = samples::random_qparams<std::int8_t>(random);
    const qparams to = samples::random_qparams<std::int8_t>(random);
    check(s, samples::integers<std::int8_t>(count, seed), from, to);
    check(s, samples::plain_floats(count, seed));
  });
}
