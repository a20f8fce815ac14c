// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints a hash of everything that compiler flags could change: qparams of each observer, an int8
// model's outputs, integers of NaN, of infinity, of denormal numbers and of ties.

#include <bit>
#include <cstdint>
#include <cstdio>
#include <ctq/ctq.hpp>
#include <limits>
#include <random>
#include <vector>

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace op = ctq::op;

namespace {

inline constexpr auto net =
    ctq::model("x"_n = nn::placeholder({1, 4, 6, 6}),
               "conv"_n = nn::conv2d("x"_n, {.out_channels = 20, .kernel_size = 3, .padding = 1}),
               "bn"_n = nn::batch_norm2d("conv"_n), "act"_n = nn::hardswish("bn"_n),
               "pool"_n = nn::avg_pool2d("act"_n, {.kernel_size = 3, .stride = 1, .padding = 1}),
               "sum"_n = op::add("pool"_n, "act"_n), "gate"_n = op::mul("sum"_n, "pool"_n),
               "flat"_n = ctq::fn::flatten("gate"_n, {.start_dim = 1}),
               "fc"_n = nn::linear("flat"_n, {.out_features = 5}), "out"_n = nn::output("fc"_n));

struct int8 : ctq::qconfig_mapping<ctq::global<
                  ctq::qconfig<ctq::histogram_observer<>, ctq::per_channel_min_max_observer<>>>> {};

std::uint32_t hash = 2166136261U;  // FNV-1a
void add(std::uint32_t word) { hash = (hash ^ word) * 16777619U; }
void add(float x) { add(std::bit_cast<std::uint32_t>(x)); }

std::mt19937 random_bits{1};

float uniform() { return static_cast<float>(random_bits() >> 8U) * 0x1p-23F - 1.0F; }

ctq::weights weights_of_net() {
  std::vector<ctq::weight_tensor> tensors;
  for (int i = 0; i < net.view().size(); ++i)
    for (const ctq::parameter& p : ctq::parameters_of(net.view()[i])) {
      std::size_t count = 1;
      for (const int extent : p.shape) count *= static_cast<std::size_t>(extent);
      ctq::weight_tensor t{p.name, p.shape, std::vector<float>(count)};
      for (float& v : t.values) v = p.name.ends_with("var") ? 1.5F + uniform() : uniform();
      tensors.push_back(std::move(t));
    }
  return ctq::weights{std::move(tensors)};
}

/// The integers of special and of many values, by the scalar reference and by vectors.
void add_quantized() {
  constexpr float inf = std::numeric_limits<float>::infinity();
  std::vector<float> x = {0.0F, -0.0F, inf, -inf, 0x1p-149F, -0x1p-140F, 1e38F, -3e38F, 0.5F, 1.5F};
  for (int i = 0; i < 3; ++i) x.push_back(std::numeric_limits<float>::quiet_NaN());
  for (int i = -400; i < 400; ++i) x.push_back(static_cast<float>(i) * 0.05F + 0.025F);
  std::vector<std::uint8_t> q(x.size());
  const ctq::elementwise_shape s{static_cast<int>(x.size())};
  for (const float scale : {0.1F, 1.0F / 3.0F, 0x1p-130F}) {
    const ctq::qparams steps{scale, 37, 0, 255};
    ctq::kernels::reference::quantize(s, x.data(), steps, q.data());
    for (const std::uint8_t b : q) add(std::uint32_t{b});
    ctq::kernels::simd::quantize<ctq::isa::native>(s, x.data(), steps, q.data());
    for (const std::uint8_t b : q) add(std::uint32_t{b});
  }
  for (const float v : x) add(std::uint32_t{ctq::check_finite({&v, 1}) ? 1U : 0U});
}

/// What observers make of data, of wide and of narrow ranges, and of NaN.
void add_observers() {
  for (const float unit : {1.0F, 1e-5F, 3e16F}) {
    ctq::observers::histogram h({});
    for (int round = 0; round < 3; ++round) {
      std::vector<float> data(2000);
      for (float& v : data)
        v = (uniform() + uniform() + uniform()) * unit * static_cast<float>(1 + round);
      h.observe(data);
    }
    const ctq::qparams q = h.calculate_qparams().value_or_exit();
    add(q.scale);
    add(static_cast<std::uint32_t>(q.zero_point));
  }
  ctq::observers::min_max with_nan({});
  with_nan.observe(std::vector<float>{1.0F, std::numeric_limits<float>::quiet_NaN()});
  add(std::uint32_t{with_nan.calculate_qparams() ? 1U : 0U});
}

}  // namespace

int main() {
  add_quantized();
  add_observers();
  auto observed = ctq::prepare<net, ctq::x86, int8>(
      ctq::model_weights<net>::check(weights_of_net()).value_or_exit());
  decltype(observed)::input image;
  for (int i = 0; i < 4; ++i) {
    for (float& v : image) v = uniform();
    observed(image);
  }
  const auto model = ctq::convert(observed).value_or_exit();
  for (const ctq::qparams& q : model.qparams()) add(static_cast<std::uint32_t>(q.zero_point));
  ctq::session run{model};
  for (int i = 0; i < 8; ++i) {
    for (float& v : image) v = 2.0F * uniform();
    image[7] = i < 4 ? 0.0F : std::numeric_limits<float>::quiet_NaN();
    for (const float v : run(image)) add(v);
  }
  std::printf("%08x\n", hash);
}
