// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/dynamic_linear.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/bind_kernels.hpp"

using namespace ctq;

namespace {

using layer = kernels::kernel_code<kernels::descriptors::linear_dynamic>;

constexpr kernel_signature key_of(const linear_shape& s) {
  return signature_of(kernel::linear_dynamic, f32, f32, s);
}

// 100 weights with two vectors that they do not need, then three.
static_assert(packed_bytes<reference_kernels>(key_of({1, 20, 5})) == (2 + 2 + 3) * 64);
static_assert(workspace_bytes<reference_kernels>(key_of({2, 20, 5})) == 64);

/// A layer of PyTorch 1.13 (QNNPACK), torch.ops.quantized.linear_dynamic(x, weight, False).
constexpr linear_shape shape{3, 8, 5};
constexpr float weight_scale = 0.012990196235477924F;
const std::vector<std::int8_t> weight{
    -6, 28, -60, 6, 52,  -22, 125, -123, -4,   -24, 19, -17, 70, 16,  45,  32, 20, 72,  -40, -128,
    81, 40, -13, 4, -93, 79,  6,   -14,  -117, 70,  19, -53, 43, -19, -83, 46, 55, -26, -41, -53};
const std::vector<float> bias{-1.4375F, -0.625F, 0.125F, -0.25F, 0.4375F};
const std::vector<float> input{-1.59375F, 1.40625F,  -1.03125F, 1.125F,    0.71875F,  1.09375F,
                               1.71875F,  -1.46875F, -0.34375F, -0.84375F, -1.21875F, -0.6875F,
                               -0.5F,     -0.59375F, -0.46875F, -0.3125F,  -0.21875F, -3.125F,
                               -0.4375F,  1.34375F,  -0.34375F, 1.625F,    0.875F,    0.6875F};
const std::vector<float> expected{5.37058115F,   -0.204291135F, 0.661928177F, 4.17003393F,
                                  1.21500945F,   -1.27143717F,  -1.47110605F, 0.261946291F,
                                  -0.357829779F, 1.66310763F,   -2.48569441F, 0.781968951F,
                                  -4.50403118F,  -1.72038364F,  0.628484547F};

/// What the layer gives by reference_kernels.
std::vector<float> outputs(const std::vector<float>& in, bool relu) {
  const std::vector<float> scale(bias.size(), weight_scale);
  aligned_buffer packed(packed_bytes<reference_kernels>(key_of(shape)));
  aligned_buffer workspace(workspace_bytes<reference_kernels>(key_of(shape)));
  layer::pack<reference_kernels>(shape, weight.data(), scale.data(), bias.data(), packed.data());
  std::vector<float> out(expected.size());
  layer::run<reference_kernels, float, float>(shape, {.relu = relu},
                                              {.in = {in.data()},
                                               .out = out.data(),
                                               .packed = packed.data(),
                                               .workspace = workspace.data()});
  return out;
}

}  // namespace

TEST_CASE("a dynamic linear layer gives PyTorch's outputs") {
  const std::vector<float> plain = outputs(input, false);
  const std::vector<float> with_relu = outputs(input, true);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::abs(plain[i] - expected[i]) <= 1e-6F);
    CHECK(with_relu[i] == (plain[i] < 0.0F ? 0.0F : plain[i]));
  }
}

TEST_CASE("an input of zeros gives the bias, NaN counts as zero") {
  std::vector<float> in(input.size());
  in[3] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> out = outputs(in, false);
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == bias[i % bias.size()]);
}
