// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/bind_kernels.hpp"

#include <doctest/doctest.h>

#include <array>

#include "ctq/runtime/reference_kernels.hpp"

using namespace ctq;

static_assert(packed_bytes<reference_kernels>(signature(kernel::linear, quint8, quint8,
                                                        linear_shape{1, 10, 4})) == 64 + 2 * 64);
static_assert(packed_bytes<reference_kernels>(signature(kernel::batch_norm2d, f32, f32,
                                                        channels_shape{9, 5})) == 40);
static_assert(packed_bytes<reference_kernels>(signature(kernel::relu, f32, f32,
                                                        elementwise_shape{9})) == 0);
static_assert(workspace_bytes<reference_kernels>(signature(kernel::linear_dynamic, f32, f32,
                                                           linear_shape{1, 100, 4})) == 128 + 64);
static_assert(workspace_bytes<reference_kernels>(signature(kernel::linear, quint8, quint8,
                                                           linear_shape{1, 10, 4})) == 0);

TEST_CASE("a kernel known to the compiler and one looked up are the same") {
  constexpr kernel_signature key = signature(kernel::quantize, f32, quint8, elementwise_shape{3});
  const std::array<float, 3> in = {-1.0F, 0.26F, 100.0F};
  const step_data data{.out = {.scale = 0.5F, .zero_point = 10}};
  std::array<std::uint8_t, 3> compiled{};
  std::array<std::uint8_t, 3> looked_up{};
  run_kernel<key, reference_kernels>({.in = {in.data()}, .out = compiled.data(), .data = &data});
  run_kernel<reference_kernels>(key, {.in = {in.data()}, .out = looked_up.data(), .data = &data});
  CHECK(compiled == std::array<std::uint8_t, 3>{8, 11, 210});
  CHECK(looked_up == compiled);
}

TEST_CASE("a key without a kernel does nothing when it is looked up") {
  const kernel_signature key =
      signature(kernel::batch_norm2d, quint8, quint8, channels_shape{1, 1});
  run_kernel<reference_kernels>(key, {});
  CHECK(!kernels::exists(key));
}
