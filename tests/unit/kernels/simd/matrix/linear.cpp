// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/convolution/conv2d.hpp"

#include <doctest/doctest.h>

#include "kernels/layer_case.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::values;
using isa_t = isa::native;

namespace {

constexpr std::size_t packed_bytes(const linear_shape& s, dtype in) {
  return simd::conv2d_packed_bytes<isa_t>(simd::as_conv2d(s), in);
}
constexpr std::size_t workspace_bytes(const linear_shape& s, dtype in) {
  return simd::conv2d_workspace_bytes<isa_t>(simd::as_conv2d(s), in);
}

}  // namespace

static_assert(workspace_bytes({8, 16, 32}, f32) == 0);
static_assert(packed_bytes({8, 16, 32}, quint8) % 64 == 0);
// The rows do not matter to the size of the weights.
static_assert(packed_bytes({8, 16, 33}, qint8) == packed_bytes({1, 16, 33}, qint8));

// Only part of the input is copied at a time.
static_assert(workspace_bytes({4000, 2001, 9}, qint8) < 600 << 10);

namespace {

template <class Shape>
bool float_equals_reference(const Shape& shape, unsigned seed) {
  const linear_shape s = shape;
  const bool whole = !simd::has_fma<isa_t>;
  samples::generator random(seed);
  const samples::fenced in(samples::reals(samples::size(s.rows, s.in_features), whole, random));
  const auto weight = samples::reals(samples::size(s.out_features, s.in_features), whole, random);
  const auto bias = samples::reals(samples::size(s.out_features, 1), whole, random);
  const bool relu = random() % 2 == 0;
  std::vector<float> expected(samples::size(s.rows, s.out_features));
  reference::conv2d(simd::as_conv2d(s), in.data(), weight.data(), bias.data(), relu,
                    expected.data());

  const samples::aligned_bytes packed(packed_bytes(s, f32));
  const samples::aligned_bytes workspace(workspace_bytes(s, f32));
  simd::pack<isa_t, float>(simd::as_conv2d(s), simd::unpacked{weight.data(), bias.data(), nullptr},
                           packed.data());
  samples::guarded<float> out(expected.size());
  simd::conv2d<isa_t>(simd::as_conv2d(shape), in.data(), packed.data(), relu, out.data(),
                      workspace.data());
  return out.margin_intact() && samples::same(expected, out.data());
}

template <class Shape>
void check(const Shape& shape, unsigned seed) {
  const linear_shape s = shape;
  CAPTURE(s.rows);
  CAPTURE(s.in_features);
  CAPTURE(s.out_features);
  CAPTURE(seed);
  CHECK(samples::linear_equals_reference<isa_t, std::uint8_t, std::uint8_t>(shape, values::random,
                                                                            seed));
  CHECK(samples::linear_equals_reference<isa_t, std::int8_t, std::int8_t>(shape, values::extreme,
                                                                          seed));
  CHECK(float_equals_reference(shape, seed));
}

}  // namespace

TEST_CASE("the reference linear layer sums, scales and clamps") {
  const std::uint8_t in[] = {1, 2, 3, 255, 0, 255};
  const std::int8_t weight[] = {1, 1, 1, -128, 0, 127, 127, 127, 127};
  const std::int32_t bias[] = {-1, 0, 100};
  const float multiplier[] = {0.5F, 0.125F, 1.0F};
  std::int8_t out[6];
  reference::conv2d(simd::as_conv2d({2, 3, 3}), in, weight, bias, multiplier, {-10, -100, 100}, 0,
                    out);
  // 5/2 = 2.5 → 2, 253/8 = 31.625 → 32, 862 → 100; 509/2 = 254.5 → 100, -255/8 = -31.875 → -32
  CHECK(std::vector<int>(out, out + 6) == std::vector<int>{-8, 22, 100, 100, -42, 100});
}

TEST_CASE("linear equals the reference around the sizes of tiles and registers") {
  unsigned seed = 1;
  for (int rows : {0, 1, 2, 3, 5, 6, 7, 12, 13, 14, 15, 29, 43}) {
    check(linear_shape{rows, 16, 32}, seed++);
    check(linear_shape{rows, 13, 10}, seed++);
  }
  for (int in : {0, 1, 2, 3, 4, 5, 7, 8, 31, 63, 64, 65, 300}) {
    check(linear_shape{3, in, 20}, seed++);
  }
  for (int out = 0; out <= 70; ++out) check(linear_shape{2, 9, out}, seed++);
  for (int out = 71; out <= 300; out += 19) check(linear_shape{1, 21, out}, seed++);
}

TEST_CASE("linear equals the reference on random shapes") {
  const unsigned count = samples::seeds(100, 2);
  samples::for_each_seed(count, [](samples::generator& random, unsigned seed) {
    const int rows = random.between(0, 19);
    // One row processes several panels at once.
    check(linear_shape{rows, random.between(0, 89), random.between(0, rows == 1 ? 299 : 79)}, seed);
  });
}

TEST_CASE("linear equals the reference for compile-time shapes") {
  check(std::integral_constant<linear_shape, linear_shape{1, 64, 10}>{}, 1);
  check(std::integral_constant<linear_shape, linear_shape{8, 16, 32}>{}, 2);
  check(std::integral_constant<linear_shape, linear_shape{17, 33, 65}>{}, 3);
}

TEST_CASE("linear in parts, of which two share some rows, equals the reference") {
  check(linear_shape{300, 2000, 12}, 1);
  constexpr std::integral_constant<linear_shape, linear_shape{271, 2001, 9}> shape;
  CHECK(
      samples::linear_equals_reference<isa_t, std::int8_t, std::int8_t>(shape, values::random, 2));
}

TEST_CASE("accumulating the largest products does not saturate") {
  // 255 * -128 * 4000: pairs of products exceed 16 bits, the sum is near the largest integer that
  // float represents exactly.
  const linear_shape s{1, 4000, 1};
  const std::vector<std::uint8_t> in(4000, 255);
  const std::vector<std::int8_t> weight(4000, -128);
  const std::int32_t bias[] = {255 * 128 * 4000 + 77};
  const float multiplier[] = {1.0F};
  const samples::aligned_bytes packed(packed_bytes(s, quint8));
  const samples::aligned_bytes workspace(workspace_bytes(s, quint8));
  simd::pack<isa_t, std::uint8_t>(simd::as_conv2d(s),
                                  simd::unpacked{weight.data(), bias, multiplier}, packed.data());
  std::uint8_t out = 0;
  simd::conv2d<isa_t>(simd::as_conv2d(s), in.data(), packed.data(), {3, 0, 255}, 0, &out,
                      workspace.data());
  CHECK(out == 80);
}
