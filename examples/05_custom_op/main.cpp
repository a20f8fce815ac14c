// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// User-defined ops in a residual network: the plan fuses and quantizes them, and the compiled model
// gives the same bytes as the interpreter, which only uses their float implementation.

#include <cmath>
#include <cstdio>
#include <ctq/ctq.hpp>
#include <ctq/json/spec_from_json.hpp>
#include <random>
#include <string>

#include "../support/random_weights.hpp"
#include "backend.hpp"
#include "device.json.hpp"

using namespace ctq::literals;
namespace nn = ctq::nn;
namespace fn = ctq::fn;
namespace op = ctq::op;

namespace {

constexpr ctq::conv2d_options conv3x3{.out_channels = 16, .kernel_size = 3, .padding = 1};

inline constexpr auto net = ctq::model(
    "x"_n = nn::placeholder({1, 3, 16, 16}), "conv1"_n = nn::conv2d("x"_n, conv3x3),
    "act1"_n = my::swish("conv1"_n, {.beta = 1.5F}), "conv2"_n = nn::conv2d("act1"_n, conv3x3),
    "act2"_n = my::swish("conv2"_n), "sum"_n = op::add("act2"_n, "act1"_n),
    "pool"_n = nn::adaptive_avg_pool2d("sum"_n), "flat"_n = fn::flatten("pool"_n, {.start_dim = 1}),
    "fc"_n = nn::linear("flat"_n, {.out_features = 10}), "out"_n = nn::output("fc"_n));

struct int8 : ctq::qconfig_mapping<ctq::global<
                  ctq::qconfig<ctq::histogram_observer<>, ctq::per_channel_min_max_observer<>>>> {};

static_assert(ctq::explain<net, my::device, int8>().fully_quantized());

// The device's support for these ops, from a file: for ctq check the ops are only names, here the
// names refer to the ops of swish.hpp.
struct device_file
    : ctq::spec_from_json<device_json, ctq::ops<ctq::builtin, my::swish, my::add_swish>> {};
static_assert(ctq::explain<net, device_file, int8>().fully_quantized());

std::mt19937 random_bits{1};

void fill(ctq::tensor<float, 1, 3, 16, 16>& image) {
  std::normal_distribution<float> normal;
  for (float& x : image.values) x = normal(random_bits);
}

}  // namespace

int main() {
  const auto weights =
      ctq::model_weights<net>::check(demo::random_weights(net.view(), random_bits)).value_or_exit();

  auto observed = ctq::prepare<net, my::device, int8>(weights);
  ctq::tensor<float, 1, 3, 16, 16> image;
  for (int i = 0; i < 32; ++i) {
    fill(image);
    observed(image);
  }
  const auto model = ctq::convert(observed).value_or_exit();

  using plan = decltype(observed)::plan;
  auto interpreter =
      ctq::interpreter<ctq::reference_kernels>::make(plan::lowered.view(), weights.get(),
                                                     model.qparams(), plan::backend, plan::mapping)
          .value_or_exit();

  ctq::float_model<net, my::device> in_float{weights};
  ctq::session compiled{model};
  ctq::tensor<float, 1, 10> interpreted;
  int different = 0;
  float error = 0, largest = 0;
  for (int i = 0; i < 32; ++i) {
    fill(image);
    const auto expected = in_float(image);
    const auto quantized = compiled(image);
    interpreter.run(image.data(), interpreted.data());
    different += quantized.values != interpreted.values ? 1 : 0;
    for (std::size_t k = 0; k < expected.size; ++k) {
      error = std::fmax(error, std::fabs(quantized[k] - expected[k]));
      largest = std::fmax(largest, std::fabs(expected[k]));
    }
  }

  std::string table;
  constexpr auto explanation = ctq::explain<net, my::device, int8>();
  explanation.append_to(table);
  std::printf("%s\n%-40s %d of 32 images\n%-40s %.4f of %.2f\n", table.c_str(),
              "other bytes than the interpreter", different, "largest error against float",
              static_cast<double>(error), static_cast<double>(largest));
  return different == 0 && error < 0.05F * largest ? 0 : 1;
}
