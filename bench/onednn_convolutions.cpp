// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The same convolutions by oneDNN, with relu fused and its own weight layout, on one thread.

#include <benchmark/benchmark.h>

#include <dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "convolutions.hpp"

namespace bench {

namespace {

using dnnl::memory;

void measure(benchmark::State& state, const ctq::conv2d_shape& s, bool floats) {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const auto type = floats ? memory::data_type::f32 : memory::data_type::u8;
  const auto weight_type = floats ? memory::data_type::f32 : memory::data_type::s8;
  const auto bias_type = floats ? memory::data_type::f32 : memory::data_type::s32;
  const memory::desc in({1, s.in_channels, s.in_h, s.in_w}, type, memory::format_tag::nhwc);
  const memory::desc out({1, s.out_channels, s.out_h(), s.out_w()}, type, memory::format_tag::nhwc);
  const memory::desc bias({s.out_channels}, bias_type, memory::format_tag::x);
  const memory::dims extents =
      s.groups > 1 ? memory::dims{s.groups, s.out_group(), s.in_group(), s.kernel_h, s.kernel_w}
                   : memory::dims{s.out_channels, s.in_channels, s.kernel_h, s.kernel_w};
  const memory::desc weight(extents, weight_type, memory::format_tag::any);

  dnnl::primitive_attr attr;
  dnnl::post_ops relu;
  relu.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
  attr.set_post_ops(relu);
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (!floats) {
    attr.set_output_scales(2, std::vector<float>(static_cast<std::size_t>(s.out_channels), 0.001F));
    attr.set_zero_points(DNNL_ARG_SRC, 0, {117});
    attr.set_zero_points(DNNL_ARG_DST, 0, {128});
  }
  const memory::dims stride{s.stride_h, s.stride_w};
  const memory::dims padding{s.padding_h, s.padding_w};
  const dnnl::convolution_forward::primitive_desc plan(
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, in, weight, bias,
       out, stride, padding, padding},
      attr, engine);
  const dnnl::convolution_forward convolution(plan);
  std::unordered_map<int, memory> args = {
      {DNNL_ARG_SRC, memory(in, engine)},
      {DNNL_ARG_WEIGHTS, memory(plan.weights_desc(), engine)},
      {DNNL_ARG_BIAS, memory(bias, engine)},
      {DNNL_ARG_DST, memory(out, engine)},
      {DNNL_ARG_SCRATCHPAD, memory(plan.scratchpad_desc(), engine)}};
  for (auto& [name, m] : args) {
    auto* const bytes = static_cast<unsigned char*>(m.get_data_handle());
    if (name != DNNL_ARG_SCRATCHPAD) std::fill_n(bytes, m.get_desc().get_size(), std::uint8_t{0});
  }
  for (auto _ : state) {
    convolution.execute(stream, args);
    benchmark::ClobberMemory();
  }
}

}  // namespace

void add_onednn() {
  for (const ctq::conv2d_shape& s : convolutions) {
    benchmark::RegisterBenchmark((name_of(s) + "|oneDNN f32").c_str(), measure, s, true);
    benchmark::RegisterBenchmark((name_of(s) + "|oneDNN int8").c_str(), measure, s, false);
  }
}

}  // namespace bench
