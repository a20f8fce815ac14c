// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/kernels/kernel_functions.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include "ctq/runtime/aligned_buffer.hpp"

using namespace ctq;
using evaluator_kernels::calls;

// Layers on integers return integers of the same type, or floats; linear layers are convolutions.
static_assert(calls(kernel::conv2d, quint8, quint8) && calls(kernel::conv2d, f32, f32));
static_assert(calls(kernel::conv2d, qint8, f32) && !calls(kernel::conv2d, qint8, quint8));
static_assert(!calls(kernel::linear, quint8, quint8) && calls(kernel::linear_dynamic, f32, f32));

// Of other ops in float, some that take long are called.
static_assert(calls(kernel::matmul, f32, f32) && calls(kernel::layer_norm, f32, f32));
static_assert(calls(kernel::pooling_max, quint8, quint8) && !calls(kernel::pooling_max, f32, f32));
static_assert(calls(kernel::quantize, f32, qint8) && !calls(kernel::dequantize, qint8, f32));
static_assert(calls(kernel::to_nhwc, f32, f32) && calls(kernel::to_nhwc, qint8, qint8));

// Those with parameters of their own are not called.
static_assert(!calls(kernel::layer_norm, quint8, quint8) && !calls(kernel::prelu, f32, f32));
static_assert(calls(kernel::binary_add_broadcast, quint8, quint8));

TEST_CASE_TEMPLATE("a set has a function for each kernel that is called, and only for these",
                   Kernels, reference_kernels, fast_kernels) {
  const auto functions = kernel_functions_of<Kernels>();
  REQUIRE(functions.has_value());
  CHECK(functions->is_reference == kernels::is_reference<Kernels>);
  CHECK(functions->has_fma ==
        (kernels::is_reference<Kernels> || isa::includes<isa::native, isa::avx2> ||
         isa::includes<isa::native, isa::neon>));
  for (std::size_t i = 0; i < kernels::kernel_count; ++i)
    for (const dtype in : {f32, quint8, qint8})
      for (const dtype out : {f32, quint8, qint8}) {
        const auto k = static_cast<kernel_id>(i);
        CAPTURE(name_of(k));
        const kernel_signature signature{.kernel = k, .in = in, .out = out};
        CHECK((functions->function_of(signature) != nullptr) == calls(k, in, out));
      }
}

TEST_CASE_TEMPLATE("a layer is packed and run by its signature", Kernels, reference_kernels,
                   fast_kernels) {
  const kernel_functions functions = *kernel_functions_of<Kernels>();
  const kernel_signature signature = signature_of(kernel::conv2d, quint8, quint8,
                                                  conv2d_shape{.batch = 1,
                                                               .in_h = 1,
                                                               .in_w = 2,
                                                               .in_channels = 3,
                                                               .out_channels = 1,
                                                               .kernel_h = 1,
                                                               .kernel_w = 1});
  const std::int8_t weight[] = {1, -2, 3};
  const std::int32_t bias[] = {5};
  const float multiplier[] = {0.5F};
  aligned_buffer packed(functions.packing.packed_bytes(signature));
  functions.packing.pack(signature, {weight, bias, multiplier, 0}, packed.data());
  aligned_buffer workspace(functions.workspace_bytes(signature) + 64);
  const std::uint8_t in[] = {1, 2, 3, 40, 10, 0};
  std::uint8_t out[2]{};
  const step_data data{.out_range = {7, 0, 255}};
  functions.function_of(signature)(signature, {.in = {in},
                                               .out = out,
                                               .packed = packed.data(),
                                               .workspace = workspace.data(),
                                               .data = &data});
  CHECK(out[0] == 13);  // 7 + (5 + 1 - 4 + 9) / 2: ties go to even
  CHECK(out[1] == 19);  // 7 + (5 + 40 - 20) / 2
}
