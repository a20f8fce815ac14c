// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/linear_weight_int4.hpp"

#include <doctest/doctest.h>

#include "kernels/layer_case.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using samples::values;
using isa_t = isa::native;

static_assert(int4_weights{.group_size = 32}.groups(64) == 2);
static_assert(int4_weights{.group_size = 32}.groups(65) == 3);

namespace {

struct operands {
  std::vector<std::int8_t> in;
  std::vector<float> in_scale, scale, bias;
  std::vector<std::uint8_t> values, zero_point;

  operands(const linear_shape& s, int group_size, samples::values kind,
           samples::generator& random) {
    const auto size = [](int a, int b) { return static_cast<std::size_t>(a * b); };
    const int groups = int4_weights{.group_size = group_size}.groups(s.in_features);
    in = samples::integers<std::int8_t>(size(s.rows, s.in_features), kind, random);
    values = samples::integers<std::uint8_t>(size(s.out_features, (s.in_features + 1) / 2), kind,
                                             random);
    zero_point = samples::integers<std::uint8_t>(size(s.out_features, groups), kind, random);
    for (auto& z : zero_point) z = z & 15;
    in_scale = samples::reals(size(s.rows, 1), false, random);
    scale = samples::reals(size(s.out_features, groups), false, random);
    bias = samples::reals(size(s.out_features, 1), false, random);
  }
};

bool equals_reference(const linear_shape& s, int group_size, values kind, bool affine,
                      unsigned seed) {
  samples::generator random(seed);
  const operands x(s, group_size, kind, random);
  const int4_weights weight{group_size, x.values.data(), x.scale.data(),
                            affine ? x.zero_point.data() : nullptr};
  const float* const bias = affine ? x.bias.data() : nullptr;
  std::vector<float> expected(static_cast<std::size_t>(s.rows * s.out_features));
  reference::linear_weight_int4(s, x.in.data(), x.in_scale.data(), weight, bias, expected.data());
  const samples::fenced in(x.in);
  const samples::fenced in_scale(x.in_scale), biases(x.bias);
  const samples::aligned_bytes packed(simd::linear_weight_int4_packed_bytes<isa_t>(s, group_size));
  const samples::aligned_bytes workspace(
      simd::linear_weight_int4_workspace_bytes<isa_t>(s, group_size));
  simd::pack_linear_weight_int4<isa_t>(s, weight, packed.data());
  samples::guarded<float> out(expected.size());
  simd::linear_weight_int4<isa_t>(s, group_size, in.data(), in_scale.data(), packed.data(),
                                  affine ? biases.data() : nullptr, out.data(), workspace.data());
  return out.holds(expected);
}

void check(const linear_shape& s, int group_size, unsigned seed) {
  CAPTURE(s.rows);
  CAPTURE(s.in_features);
  CAPTURE(s.out_features);
  CAPTURE(group_size);
  CHECK(equals_reference(s, group_size, values::random, true, seed));
  CHECK(equals_reference(s, group_size, values::extreme, seed % 2 == 0, seed));
}

}  // namespace

TEST_CASE("a linear layer with four-bit weights scales the accumulator of each group") {
  // Two channels, groups of two and of one; values 1 2 3 and 8 9 15.
  const std::vector<std::uint8_t> values = {0x21, 0x03, 0x98, 0x0F};
  const std::vector<float> scale = {0.5F, 2.0F, 1.0F, 0.25F};
  const std::vector<std::uint8_t> zero_point = {1, 0, 8, 15};
  const std::vector<std::int8_t> in = {10, -20, 3};
  const float in_scale = 0.5F;
  const std::vector<float> bias = {0.25F, 0.0F};
  std::vector<float> out(2);
  reference::linear_weight_int4({1, 3, 2}, in.data(), &in_scale,
                                {2, values.data(), scale.data(), zero_point.data()}, bias.data(),
                                out.data());
  CHECK(out == std::vector<float>{4.25F, -10.0F});  // (-20*0.5 + 9*2)*0.5 + 0.25, -20*0.5
  reference::linear_weight_int4({1, 3, 2}, in.data(), &in_scale,
                                {2, values.data(), scale.data(), nullptr}, nullptr, out.data());
  CHECK(out == std::vector<float>{-2.5F, -7.375F});  // (50*0.5 - 15*2)*0.5, (-20 + 21*0.25)*0.5
}

TEST_CASE("four-bit weights give the bits of the reference for any size") {
  unsigned seed = 1;
  for (int k = 0; k <= 40; ++k) check({1 + k % 3, k, 5}, 8, seed++);
  for (int n = 0; n <= 70; ++n) check({1 + n % 5, 21, n}, 16, seed++);
  for (int rows = 0; rows <= 9; ++rows) check({rows, 64, 33}, 32, seed++);
}

TEST_CASE("four-bit weights give the bits of the reference for groups of any size") {
  unsigned seed = 1000;
  for (int group_size = 1; group_size <= 35; ++group_size) check({2, 71, 19}, group_size, seed++);
  for (int group_size : {32, 64, 128, 256, 300, 1000}) {
    check({1, 257, 67}, group_size, seed++);
    check({3, 512, 17}, group_size, seed++);
  }
}

TEST_CASE("accumulators of a group are exact for the largest products") {
  const int channels = simd::int4_dot<isa_t>::lanes + 1;  // both halves of a line
  const auto n = static_cast<std::size_t>(channels);
  for (const int k : {1024, 1 << 17}) {
    const linear_shape s{1, k, channels};
    const std::vector<std::uint8_t> values(n * static_cast<std::size_t>(k) / 2, 0xFF);
    const std::vector<float> scale(n, 1.0F);
    const float in_scale = 1.0F;
    const samples::aligned_bytes packed(simd::linear_weight_int4_packed_bytes<isa_t>(s, k));
    const samples::aligned_bytes workspace(simd::linear_weight_int4_workspace_bytes<isa_t>(s, k));
    for (const int zero_point : {0, 15}) {
      const std::vector<std::uint8_t> zeros(n, static_cast<std::uint8_t>(zero_point));
      simd::pack_linear_weight_int4<isa_t>(s, {k, values.data(), scale.data(), zeros.data()},
                                           packed.data());
      for (const int activation : {-128, 127}) {
        const std::vector<std::int8_t> in(static_cast<std::size_t>(k),
                                          static_cast<std::int8_t>(activation));
        samples::guarded<float> out(n);
        simd::linear_weight_int4<isa_t>(s, k, in.data(), &in_scale, packed.data(), nullptr,
                                        out.data(), workspace.data());
        const auto each = static_cast<float>(k * activation * (15 - zero_point));
        CHECK(out.holds(std::vector<float>(n, each)));
      }
    }
  }
}

TEST_CASE("four-bit weights give the bits of the reference on random shapes") {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned seed) {
    const linear_shape s{random.between(0, 6), random.between(0, 150), random.between(0, 80)};
    const int group_size = seed % 2 == 0 ? 32 : random.between(1, 80);
    check(s, group_size, seed);
  });
}
