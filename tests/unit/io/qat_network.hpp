// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <span>

#include "ctq/backends/default_qconfig_mappings.hpp"
#include "ctq/backends/fbgemm.hpp"
#include "ctq/backends/qnnpack.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/io/load_qparams.hpp"
#include "quantized_net.hpp"
#include "torch_qat.hpp"

// The network of tests/golden/torch_qat.py, and the files of its trained forms.

namespace qat_network {

using namespace ctq::literals;
namespace nn = ctq::nn;

inline constexpr auto net = ctq::model(
    "x"_n = nn::placeholder({1, 3, 6, 6}),
    "conv"_n =
        nn::conv2d("x"_n, {.out_channels = 8, .kernel_size = 3, .padding = 1, .bias = false}),
    "bn"_n = nn::batch_norm2d("conv"_n), "relu"_n = nn::relu("bn"_n),
    "depthwise"_n =
        nn::conv2d("relu"_n, {.out_channels = 8, .kernel_size = 3, .stride = 2, .groups = 8}),
    "norm"_n = nn::batch_norm2d("depthwise"_n),
    "pool"_n = nn::adaptive_avg_pool2d("norm"_n, {.output_size = 1}),
    "flatten"_n = ctq::fn::flatten("pool"_n, {.start_dim = 1}),
    "head.0"_n = nn::linear("flatten"_n, {.out_features = 8}), "head.1"_n = nn::relu("head.0"_n),
    "head.2"_n = nn::linear("head.1"_n, {.out_features = 4}), "output"_n = nn::output("head.2"_n));

struct learned : ctq::qconfig_mapping<ctq::global<ctq::qconfig<
                     ctq::learnable_fake_quantize<ctq::moving_average_min_max_observer<>>,
                     ctq::learnable_fake_quantize<ctq::moving_average_min_max_observer<{
                         .dtype = ctq::qint8, .qscheme = ctq::qscheme::per_tensor_symmetric}>>>>> {
};

inline constexpr const char* paths[] = {"conv", "depthwise", "head.0", "head.2"};

/// A file of these bytes.
class written {
 public:
  explicit written(std::span<const unsigned char> bytes) {
    quantized_net::write(file_.name(), {bytes.begin(), bytes.end()});
  }
  [[nodiscard]] ctq::file_path path() const { return file_.name(); }

 private:
  quantized_net::temporary_file file_;
};

}  // namespace qat_network
