// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program for many machines. The network is compiled for each instruction set and selected
// here, once. Prints the instruction set and a hash of the outputs, which is the same for all:
//
//   CTQ_ISA=avx2 06_dispatch        use that one, if supported
//   CTQ_VERBOSE=1 06_dispatch       one line per step: kernel, blocking, time

#include <bit>
#include <cstdint>
#include <cstdio>
#include <ctq/runtime/convert.hpp>
#include <random>

#include "../support/random_weights.hpp"
#include "net.hpp"

namespace {

std::mt19937 random_bits{1};

void fill(ctq::tensor<float, 1, 3, 12, 12>& image) {
  std::uniform_real_distribution<float> uniform{-1.0F, 1.0F};
  for (float& x : image.values) x = uniform(random_bits);
}

}  // namespace

int main() {
  const auto weights =
      ctq::model_weights<net>::check(demo::random_weights(net.view(), random_bits)).value_or_exit();

  auto observed = ctq::prepare<net, ctq::x86, int8>(weights);
  ctq::tensor<float, 1, 3, 12, 12> image;
  for (int i = 0; i < 8; ++i) {
    fill(image);
    observed(image);
  }
  // [dispatch]
  // Where one program has one -march: ctq::convert(observed).
  const auto model = ctq::convert(observed, ctq::dispatch).value_or_exit();
  // [dispatch]

  ctq::session run{model};
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (int i = 0; i < 4; ++i) {
    fill(image);
    for (const float x : run(image)) hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 16777619U;
  }
  std::printf("%.*s %08x\n", static_cast<int>(model.isa().size()), model.isa().data(), hash);
}
