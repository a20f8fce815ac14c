// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The convolutions as the compiled executor runs them: the shape is known to the compiler.

#include <benchmark/benchmark.h>

#include <memory>
#include <utility>
#include <vector>

#include "convolutions.hpp"
#include "ctq/runtime/aligned_buffer.hpp"
#include "ctq/runtime/bind_kernels.hpp"
#include "ctq/runtime/simd_kernels.hpp"

namespace bench {

namespace {

using kernels = ctq::simd_kernels<ctq::isa::native>;

template <ctq::kernel_signature Key>
void measure(benchmark::State& state) {
  constexpr auto s = Key.template as<ctq::conv2d_shape>();
  constexpr bool floats = Key.in == ctq::f32;
  const auto outputs = static_cast<std::size_t>(s.out_channels);
  const std::size_t weights =
      outputs * static_cast<std::size_t>(s.in_group() * s.kernel_h * s.kernel_w);
  ctq::aligned_buffer packed{ctq::packed_bytes<kernels>(Key)};
  ctq::aligned_buffer workspace{ctq::workspace_bytes<kernels>(Key)};
  const std::vector<float> float_weight(weights, 0.01F);
  const std::vector<float> float_bias(outputs, 0.1F);
  if constexpr (floats) {
    kernels::pack(s, float_weight.data(), float_bias.data(), packed.data());
  } else {
    const std::vector<std::int8_t> weight(weights, 3);
    const std::vector<std::int32_t> bias(outputs, 100);
    const std::vector<float> multiplier(outputs, 0.001F);
    kernels::pack<std::uint8_t>(s, weight.data(), bias.data(), multiplier.data(), packed.data());
  }
  const std::size_t element = ctq::size_of(Key.in);
  ctq::aligned_buffer in{static_cast<std::size_t>(s.in_h * s.in_w * s.in_channels) * element};
  ctq::aligned_buffer out{static_cast<std::size_t>(s.out_h() * s.out_w() * s.out_channels) *
                          element};
  const ctq::step_data data{.in = {{.scale = 0.1F, .zero_point = 117}},
                            .out = {.scale = 0.1F, .zero_point = 128},
                            .steps = {.zero_point = 128, .lo = 128, .hi = 255}};
  const ctq::operands x{.in = {in.data()},
                        .out = out.data(),
                        .packed = packed.data(),
                        .workspace = workspace.data(),
                        .data = &data};
  for (auto _ : state) {
    ctq::run_kernel<Key, kernels>(x);
    benchmark::ClobberMemory();
  }
}

template <std::size_t... I>
void add(std::index_sequence<I...>) {
  using ctq::signature;
  (benchmark::RegisterBenchmark(
       (name_of(convolutions[I]) + "|ctq f32").c_str(),
       measure<signature(ctq::kernel::conv2d, ctq::f32, ctq::f32, convolutions[I], true)>),
   ...);
  (benchmark::RegisterBenchmark(
       (name_of(convolutions[I]) + "|ctq int8").c_str(),
       measure<signature(ctq::kernel::conv2d, ctq::quint8, ctq::quint8, convolutions[I], true)>),
   ...);
}

}  // namespace

void add_ctq() { add(std::make_index_sequence<std::size(convolutions)>{}); }

}  // namespace bench
