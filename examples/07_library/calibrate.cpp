// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the file that the program that ships loads, of float weights and samples:
//
//   calibrate NET.safetensors NET.int8.safetensors

#include <cstdio>
#include <ctq/io/load_weights.hpp>
#include <ctq/io/save_quantized.hpp>
#include <ctq/runtime/convert.hpp>
#include <random>

#include "net_plan.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: calibrate NET.safetensors NET.int8.safetensors\n");
    return 2;
  }
  // [calibrate]
  const auto weights = ctq::load_weights<models::net_model>(arguments[1]).value_or_exit();
  auto observed =
      ctq::prepare<models::net_model, models::net_backend, models::net_mapping>(weights);

  std::mt19937 bits{1};  // samples of the training data would be read here
  std::uniform_real_distribution<float> uniform{-1.0F, 1.0F};
  ctq::tensor<float, 1, 1, 12, 12> image;
  for (int i = 0; i < 64; ++i) {
    for (float& pixel : image.values) pixel = uniform(bits);
    observed(image);
  }
  ctq::convert(observed).value_or_exit().save(arguments[2]).value_or_exit();
  // [calibrate]
}
