// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/bind_kernels.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/runtime/aligned_buffer.hpp"

using namespace ctq;

static_assert(packed_bytes<reference_kernels>(signature_of(kernel::linear, quint8, quint8,
                                                           linear_shape{1, 10, 4})) == 64 + 2 * 64);
static_assert(packed_bytes<reference_kernels>(signature_of(kernel::batch_norm2d, f32, f32,
                                                           channels_shape{9, 5})) == 40);
static_assert(packed_bytes<reference_kernels>(signature_of(kernel::relu, f32, f32,
                                                           elementwise_shape{9})) == 0);
static_assert(workspace_bytes<reference_kernels>(signature_of(kernel::linear_dynamic, f32, f32,
                                                              linear_shape{1, 100, 4})) == 128);
static_assert(workspace_bytes<reference_kernels>(signature_of(kernel::linear, quint8, quint8,
                                                              linear_shape{1, 10, 4})) == 0);

static_assert(packed_bytes<reference_kernels>(signature_of(kernel::linear, f32, f32,
                                                           linear_shape{1, 30, 2})) ==
              256 + 2 * 64);
static_assert(workspace_bytes<reference_kernels>(signature_of(kernel::function, quint8, quint8,
                                                              function_shape{{shape(2), shape(3)},
                                                                             shape(4)})) ==
              9 * sizeof(float));

namespace {

using native_kernels = simd_kernels<isa::native>;

constexpr linear_shape layer{1, 2, 2};

/// What a layer gives whose weights the same set has packed.
template <class Set, class In, class Weight, class Bias>
std::vector<In> run_layer(const Weight (&weight)[4], const Bias (&bias)[2], const float* multiplier,
                          const In (&in)[2], const step_data& data, bool relu) {
  const kernel_signature signature =
      signature_of(kernel::linear, dtype_of<In>, dtype_of<In>, layer, relu);
  aligned_buffer packed(packed_bytes<Set>(signature));
  aligned_buffer workspace(workspace_bytes<Set>(signature));
  kernels::kernel_code<kernels::descriptors::linear>::pack<Set, In>(layer, weight, bias, multiplier,
                                                                    packed.data());
  std::vector<In> out(2);
  run_kernel<Set>(signature, {.in = {in},
                              .out = out.data(),
                              .packed = packed.data(),
                              .workspace = workspace.data(),
                              .data = &data});
  return out;
}

std::vector<std::uint8_t> some_bytes(std::size_t count) {
  std::vector<std::uint8_t> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<std::uint8_t>(i * 37 + 11);
  return v;
}

const step_data numbers{.in = {{.scale = 0.1F, .zero_point = 100}, {.scale = 0.2F}},
                        .out = {.scale = 0.3F, .zero_point = 50}};

/// Does a kernel that reads bytes give the same by both sets?
template <class Out = std::uint8_t, class Shape>
bool same_for_bytes(kernel_id k, const Shape& s, std::size_t inputs, std::size_t outputs,
                    bool relu = false) {
  const auto a = some_bytes(inputs);
  const auto b = some_bytes(inputs + 5);
  std::vector<Out> got(outputs);
  std::vector<Out> wanted(outputs);
  const kernel_signature signature = signature_of(k, quint8, dtype_of<Out>, s, relu);
  operands x{.in = {a.data(), b.data() + 5}, .data = &numbers};
  x.out = got.data();
  run_kernel<native_kernels>(signature, x);
  x.out = wanted.data();
  run_kernel<reference_kernels>(signature, x);
  return got == wanted && wanted != std::vector<Out>(outputs);
}

}  // namespace

TEST_CASE_TEMPLATE("a float layer reads weights and biases where pack has put them", Set,
                   reference_kernels, native_kernels) {
  const float weight[]{1, 2, -3, 4};
  const float bias[]{0.5F, -20.0F};
  const float in[]{10, 1};
  const auto run = [&](bool relu) { return run_layer<Set>(weight, bias, nullptr, in, {}, relu); };
  CHECK(run(false) == std::vector<float>{12.5F, -46.0F});
  CHECK(run(true) == std::vector<float>{12.5F, 0.0F});
}

TEST_CASE_TEMPLATE("an integer layer finds its multipliers, and its bounds in the step's numbers",
                   Set, reference_kernels, native_kernels) {
  const std::int8_t weight[]{1, 2, -3, 4};
  const std::int32_t bias[]{3, -20};
  const float multiplier[]{0.5F, 0.25F};
  const std::uint8_t in[]{10, 1};
  const step_data data{.out_range = {.zero_point = 7, .lo = 5, .hi = 255}};
  // rne(7.5) + 7, and -11.5 + 7 clamped
  CHECK(run_layer<Set>(weight, bias, multiplier, in, data, false) ==
        std::vector<std::uint8_t>{15, 5});
}

TEST_CASE("elementwise kernels get both inputs and all qparams") {
  const elementwise_shape s{77};
  CHECK(same_for_bytes<float>(kernel::dequantize, s, 77, 77));
  CHECK(same_for_bytes<std::int8_t>(kernel::requantize, s, 77, 77));
  for (const kernel_id k : {kernel::requantize, kernel::relu}) CHECK(same_for_bytes(k, s, 77, 77));
  for (const kernel_id k :
       {kernel::binary_add, kernel::binary_mul, kernel::binary_add_within_one_step})
    for (const bool relu : {false, true}) CHECK(same_for_bytes(k, s, 77, 77, relu));
  constexpr broadcast_shape of_rows{{1, 1, 7, 11}, {{0, 0, 11, 1}, {0, 0, 0, 1}}};
  for (const kernel_id k : {kernel::binary_sub, kernel::binary_div, kernel::binary_add_broadcast,
                            kernel::binary_mul_broadcast})
    for (const bool relu : {false, true}) CHECK(same_for_bytes(k, of_rows, 77, 77, relu));
}

TEST_CASE("pools and moves get their shapes") {
  const pool_shape pool{.batch = 1,
                        .in_h = 4,
                        .in_w = 6,
                        .channels = 5,
                        .out_h = 2,
                        .out_w = 3,
                        .kernel_h = 2,
                        .kernel_w = 2,
                        .stride_h = 2,
                        .stride_w = 2};
  CHECK(same_for_bytes(kernel::pooling_max, pool, 120, 30));
  CHECK(same_for_bytes(kernel::pooling_avg, pool, 120, 30));
  CHECK(same_for_bytes(kernel::concat, concat_shape{4, 5, 9, 3}, 20, 36));
  CHECK(same_for_bytes(kernel::to_nhwc, transpose_shape{2, 3, 7}, 42, 42));
  CHECK(same_for_bytes(kernel::to_nchw, transpose_shape{2, 3, 7}, 42, 42));
}

TEST_CASE("a kernel known to the compiler and one looked up are the same") {
  constexpr kernel_signature signature =
      signature_of(kernel::quantize, f32, quint8, elementwise_shape{3});
  const std::array<float, 3> in = {-1.0F, 0.26F, 100.0F};
  const step_data data{.out = {.scale = 0.5F, .zero_point = 10}};
  std::array<std::uint8_t, 3> compiled{};
  std::array<std::uint8_t, 3> looked_up{};
  run_kernel<signature, reference_kernels>(
      {.in = {in.data()}, .out = compiled.data(), .data = &data});
  run_kernel<reference_kernels>(signature,
                                {.in = {in.data()}, .out = looked_up.data(), .data = &data});
  CHECK(compiled == std::array<std::uint8_t, 3>{8, 11, 210});
  CHECK(looked_up == compiled);
}

TEST_CASE("a signature without a kernel does nothing when it is looked up") {
  const kernel_signature signature =
      signature_of(kernel::linear_dynamic, quint8, quint8, linear_shape{1, 1, 1});
  run_kernel<reference_kernels>(signature, {});
  CHECK(!kernels::exists(signature));
}
