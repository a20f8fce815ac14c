// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/code/int4_layers.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "kernels/layer_case.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

using layer = kernel_code<descriptors::linear_dynamic_int4>;

/// The layer with random weights; packed and workspace have no more bytes than it asks for.
template <class Set>
std::vector<float> outputs(const linear_shape& s, bool relu, const std::vector<float>& in,
                           const std::vector<std::uint8_t>& weight, const std::vector<float>& scale,
                           const std::vector<float>& bias) {
  const kernel_signature signature = signature_of(kernel::linear_dynamic_int4, f32, f32, s);
  const samples::aligned_bytes packed(layer::packed_bytes<Set>(signature));
  const samples::aligned_bytes workspace(layer::workspace_bytes<Set>(signature));
  layer::pack<Set>(s, weight.data(), scale.data(), bias.data(), packed.data());
  std::vector<float> out(static_cast<std::size_t>(s.rows * s.out_features));
  layer::run<Set, float, float>(s, {.relu = relu},
                                {.in = {in.data()},
                                 .out = out.data(),
                                 .packed = packed.data(),
                                 .workspace = workspace.data()});
  return out;
}

bool equals_reference(const linear_shape& s, bool relu, unsigned seed) {
  samples::generator random(seed);
  const auto size = [](int a, int b) { return static_cast<std::size_t>(a * b); };
  const int groups = int4_weights{.group_size = s.group_size}.groups(s.in_features);
  const auto in = samples::reals(size(s.rows, s.in_features), false, random);
  const auto weight = samples::integers<std::uint8_t>(size(s.out_features, (s.in_features + 1) / 2),
                                                      samples::values::random, random);
  const auto scale = samples::reals(size(s.out_features, groups), false, random);
  const auto bias = samples::reals(size(s.out_features, 1), false, random);
  return outputs<simd_kernels<isa::native>>(s, relu, in, weight, scale, bias) ==
         outputs<reference_kernels>(s, relu, in, weight, scale, bias);
}

}  // namespace

TEST_CASE("each row of the input has its own scale, each group of weights too") {
  // 254 at 2 per step is 127; 0.5 at 0.5/127 per step is 127.
  const std::vector<float> in{254, 0, -254, 0.5F, 0.5F, 0};
  // Two outputs of three weights, in groups of two: 1 -1 | 7 and -8 0 | 2.
  const std::vector<std::uint8_t> weight{0x79, 0x0F, 0x80, 0x0A};
  const std::vector<float> scale{1, 0.5F, 2, 0.25F};
  const std::vector<float> bias{1, 0};
  const linear_shape s{2, 3, 2, 1, 2};
  const auto y = outputs<reference_kernels>(s, false, in, weight, scale, bias);
  CHECK(y[0] == 254 * 1.0F - 254 * 3.5F + 1);
  CHECK(y[1] == 254 * -16.0F - 254 * 0.5F);
  CHECK(y[2] == doctest::Approx(1));
  CHECK(y[3] == doctest::Approx(-8));
  const auto positive = outputs<reference_kernels>(s, true, in, weight, scale, bias);
  CHECK(positive == std::vector<float>{0, 0, y[2], 0});
}

TEST_CASE("the layer gives the bytes of the reference for any size") {
  unsigned seed = 1;
  for (const linear_shape s : {linear_shape{1, 64, 64, 1, 32},
                               {3, 71, 45, 1, 16},
                               {2, 7, 3, 1, 32},
                               {5, 1, 1, 1, 1},
                               {0, 8, 8, 1, 4},
                               {2, 0, 3, 1, 4},
                               {1, 33, 0, 1, 8}}) {
    CAPTURE(s.in_features);
    CHECK(equals_reference(s, false, seed));
    CHECK(equals_reference(s, true, seed++));
  }
}
