// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/reference_kernels.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <vector>

using namespace ctq;

// Weights as they are, then biases, then multipliers, each part padded to 64 bytes.
static_assert(reference_kernels::packed_bytes(linear_shape{1, 3, 2}, quint8) == 3 * 64);
static_assert(reference_kernels::packed_bytes(linear_shape{1, 30, 2}, f32) == 256 + 2 * 64);
static_assert(reference_kernels::workspace_bytes(linear_shape{1, 3, 2}, quint8) == 0);
static_assert(reference_kernels::workspace_bytes(function_shape{{shape(2), shape(3)}, shape(4)},
                                                 quint8) == 9 * sizeof(float));

namespace {

using set = reference_kernels;
template <kernel Op>
using op = kernel_c<Op>;

/// Real numbers of two features to two outputs, one of them negative.
constexpr linear_shape layer{1, 2, 2};

}  // namespace

TEST_CASE("a float layer reads weights and biases where pack has put them") {
  const std::array<float, 4> weight{1, 2, -3, 4};
  const std::array<float, 2> bias{0.5F, -20.0F};
  std::vector<std::byte> packed(set::packed_bytes(layer, f32));
  set::pack(layer, weight.data(), bias.data(), packed.data());
  const std::array<float, 2> in{10, 1};
  std::array<float, 2> out{};
  const operands x{.in = {in.data()}, .out = out.data(), .packed = packed.data()};
  set::run<float, float>(op<kernel::linear>{}, layer, false, x);
  CHECK(out == std::array<float, 2>{12.5F, -46.0F});
  set::run<float, float>(op<kernel::linear>{}, layer, true, x);
  CHECK(out == std::array<float, 2>{12.5F, 0.0F});
}

TEST_CASE("an integer layer finds its multipliers, and its bounds in the numbers of the step") {
  const std::array<std::int8_t, 4> weight{1, 2, -3, 4};
  const std::array<std::int32_t, 2> bias{3, -20};
  const std::array<float, 2> multiplier{0.5F, 0.25F};
  std::vector<std::byte> packed(set::packed_bytes(layer, quint8));
  set::pack<std::uint8_t>(layer, weight.data(), bias.data(), multiplier.data(), packed.data());
  const std::array<std::uint8_t, 2> in{10, 1};
  std::array<std::uint8_t, 2> out{};
  const step_data data{.steps = {.zero_point = 7, .lo = 5, .hi = 255}};
  set::run<std::uint8_t, std::uint8_t>(
      op<kernel::linear>{}, layer, false,
      {.in = {in.data()}, .out = out.data(), .packed = packed.data(), .data = &data});
  CHECK(out == std::array<std::uint8_t, 2>{15, 5});  // rne(7.5) + 7, and -11.5 + 7 clamped
}

TEST_CASE("elementwise kernels take their qparams from the step") {
  const std::array<std::uint8_t, 3> in{0, 128, 255};
  std::array<float, 3> out{};
  const step_data data{.in = {{.scale = 0.5F, .zero_point = 128}}};
  set::run<std::uint8_t, float>(op<kernel::dequantize>{}, elementwise_shape{3}, false,
                                {.in = {in.data()}, .out = out.data(), .data = &data});
  CHECK(out == std::array<float, 3>{-64.0F, 0.0F, 63.5F});
}
