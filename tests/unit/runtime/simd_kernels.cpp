// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/simd_kernels.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/reference_kernels.hpp"

// That the kernels themselves are right is tested beside them; here that each gets the operands
// that the scalar one gets.

using namespace ctq;

namespace {

using set = simd_kernels<isa::native>;
template <kernel Op>
using op = kernel_c<Op>;

std::vector<std::uint8_t> some_bytes(std::size_t count) {
  std::vector<std::uint8_t> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<std::uint8_t>(i * 37 + 11);
  return v;
}

const step_data numbers{.in = {{.scale = 0.1F, .zero_point = 100}, {.scale = 0.2F}},
                        .out = {.scale = 0.3F, .zero_point = 50}};

/// What both sets give for two tensors of bytes.
template <kernel Op, class Out = std::uint8_t, class Shape>
bool same_for_bytes(const Shape& s, std::size_t inputs, std::size_t outputs, bool relu = false) {
  const auto a = some_bytes(inputs);
  const auto b = some_bytes(inputs + 5);
  std::vector<Out> got(outputs);
  std::vector<Out> wanted(outputs);
  operands x{.in = {a.data(), b.data() + 5}, .data = &numbers};
  x.out = got.data();
  set::run<std::uint8_t, Out>(op<Op>{}, s, relu, x);
  x.out = wanted.data();
  reference_kernels::run<std::uint8_t, Out>(op<Op>{}, s, relu, x);
  return got == wanted;
}

}  // namespace

TEST_CASE("elementwise kernels get both inputs and all qparams") {
  const elementwise_shape s{77};
  CHECK(same_for_bytes<kernel::dequantize, float>(s, 77, 77));
  CHECK(same_for_bytes<kernel::requantize>(s, 77, 77));
  CHECK(same_for_bytes<kernel::relu>(s, 77, 77));
  CHECK(same_for_bytes<kernel::add>(s, 77, 77));
  CHECK(same_for_bytes<kernel::add_relu>(s, 77, 77));
  for (const bool relu : {false, true}) {
    CHECK(same_for_bytes<kernel::add_within_one_step>(s, 77, 77, relu));
    CHECK(same_for_bytes<kernel::mul>(s, 77, 77, relu));
  }
}

TEST_CASE("pools and moves get their shapes") {
  const pool2d_shape pool{.batch = 1,
                          .in_h = 4,
                          .in_w = 6,
                          .channels = 5,
                          .out_h = 2,
                          .out_w = 3,
                          .kernel_h = 2,
                          .kernel_w = 2,
                          .stride_h = 2,
                          .stride_w = 2};
  CHECK(same_for_bytes<kernel::max_pool2d>(pool, 120, 30));
  CHECK(same_for_bytes<kernel::avg_pool2d>(pool, 120, 30));
  CHECK(same_for_bytes<kernel::concat>(concat_shape{4, 5, 9, 3}, 20, 36));
  CHECK(same_for_bytes<kernel::to_nhwc>(transpose_shape{2, 3, 7}, 42, 42));
  CHECK(same_for_bytes<kernel::to_nchw>(transpose_shape{2, 3, 7}, 42, 42));
}

TEST_CASE("a float layer reads what pack has written") {
  constexpr linear_shape layer{2, 3, 2};
  const float weight[]{1, 2, 3, -1, -2, -3};
  const float bias[]{0.5F, -0.5F};
  const float in[]{1, 1, 1, 2, 0, 1};
  float out[4]{};
  aligned_buffer packed(set::packed_bytes(layer, f32));
  aligned_buffer workspace(set::workspace_bytes(layer, f32));
  set::pack(layer, weight, bias, packed.data());
  set::run<float, float>(
      op<kernel::linear>{}, layer, true,
      {.in = {in}, .out = out, .packed = packed.data(), .workspace = workspace.data()});
  CHECK(std::vector<float>(out, out + 4) == std::vector<float>{6.5F, 0.0F, 5.5F, 0.0F});
}
