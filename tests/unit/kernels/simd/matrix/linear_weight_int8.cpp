// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/linear_weight_int8.hpp"

#include <doctest/doctest.h>

#include "kernels/layer_case.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::values;
using isa_t = isa::native;

static_assert(simd::linear_weight_int8_packed_bytes<isa_t>({1, 64, 0}) == 0);
static_assert(simd::linear_weight_int8_packed_bytes<isa_t>({7, 256, 64}) == 64 * (256 + 8));

namespace {

/// awkward: activations that include NaN, infinities and values whose sums overflow.
bool equals_reference(const linear_shape& s, values kind, bool awkward, unsigned seed) {
  samples::generator random(seed);
  const auto size = [](int a, int b) { return static_cast<std::size_t>(a * b); };
  const auto count = size(s.rows, s.in_features);
  const samples::fenced in(awkward ? samples::floats(count, seed)
                                   : samples::reals(count, false, random));
  const auto weight =
      samples::integers<std::int8_t>(size(s.out_features, s.in_features), kind, random);
  const auto scale = samples::reals(size(s.out_features, 1), false, random);
  const auto biases = samples::reals(size(s.out_features, 1), false, random);
  const float* const bias = seed % 3 == 0 ? nullptr : biases.data();
  std::vector<float> expected(size(s.rows, s.out_features));
  reference::linear_weight_int8(s, in.data(), weight.data(), scale.data(), bias, expected.data());
  const samples::aligned_bytes packed(simd::linear_weight_int8_packed_bytes<isa_t>(s));
  simd::pack_linear_weight_int8<isa_t>(s, weight.data(), scale.data(), bias, packed.data());
  samples::guarded<float> out(expected.size());
  simd::linear_weight_int8<isa_t>(s, in.data(), packed.data(), out.data());
  return out.margin_intact() && samples::same(expected, out.data());
}

void check(const linear_shape& s, unsigned seed) {
  CAPTURE(s.rows);
  CAPTURE(s.in_features);
  CAPTURE(s.out_features);
  CHECK(equals_reference(s, values::random, false, seed));
  CHECK(equals_reference(s, values::extreme, true, seed));
}

}  // namespace

TEST_CASE("a weight-only layer dequantizes its weights") {
  const std::vector<std::int8_t> weight = {1, -2, 127, -128};
  const std::vector<float> scale = {0.5F, 0.25F}, bias = {1.0F, 0.0F}, in = {3.0F, 0.5F};
  std::vector<float> out(2);
  reference::linear_weight_int8({1, 2, 2}, in.data(), weight.data(), scale.data(), bias.data(),
                                out.data());
  CHECK(out == std::vector<float>{2.0F, 79.25F});
  reference::linear_weight_int8({1, 2, 2}, in.data(), weight.data(), scale.data(), nullptr,
                                out.data());
  CHECK(out == std::vector<float>{1.0F, 79.25F});
}

TEST_CASE("weight-only int8 gives the bits of the reference for any size") {
  unsigned seed = 1;
  for (int k = 0; k <= 40; ++k) check({1 + k % 3, k, 5}, seed++);
  for (int n = 0; n <= 70; ++n) check({1 + n % 5, 21, n}, seed++);
  for (int rows = 0; rows <= 9; ++rows) check({rows, 64, 33}, seed++);
  check({1, 300, 200}, seed);
}

TEST_CASE("weight-only int8 gives the bits of the reference on random shapes") {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned seed) {
    const int rows = random.between(0, 6);
    // One row processes several blocks at once.
    check({rows, random.between(0, 100), random.between(0, rows == 1 ? 300 : 80)}, seed);
  });
}
