// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One program for many machines. The network is compiled for each instruction set; which one runs
// is decided here, once. Prints the instruction set and a hash of the outputs, which all share:
//
//   CTQ_ISA=avx2 06_dispatch        on that one, if the machine has it
//   CTQ_VERBOSE=1 06_dispatch       a line a step: which kernel, in which blocks, for how long

#include <bit>
#include <cstdint>
#include <cstdio>
#include <ctq/runtime/dispatch.hpp>
#include <ctq/runtime/observed_model.hpp>
#include <random>

#include "net.hpp"

namespace {

std::mt19937 random_bits{1};

template <class Values>
void fill(Values& values, float range) {
  std::uniform_real_distribution<float> uniform{-range, range};
  for (float& x : values) x = uniform(random_bits);
}

/// A trained network would come from ctq::load_weights.
ctq::weights random_weights() {
  std::vector<ctq::weight_tensor> all;
  for (int i = 0; i < net.view().size(); ++i)
    for (const ctq::parameter& p : ctq::parameters_of(net.view()[i])) {
      std::size_t count = 1;
      for (const int extent : p.shape) count *= static_cast<std::size_t>(extent);
      all.push_back({p.name, p.shape, std::vector<float>(count)});
      fill(all.back().values, 0.2F);
    }
  return ctq::weights{std::move(all)};
}

int give_up(const ctq::error& e) {
  std::fprintf(stderr, "error: %s\n", e.message().c_str());
  return 1;
}

}  // namespace

int main() {
  const auto weights = ctq::model_weights<net>::check(random_weights());
  if (!weights) return give_up(weights.error());

  auto observed = ctq::prepare<net, ctq::x86, int8>(*weights);
  ctq::tensor<float, 1, 3, 12, 12> image;
  for (int i = 0; i < 8; ++i) {
    fill(image.values, 1.0F);
    observed(image);
  }
  const auto model = ctq::dispatch(observed);  // where one program has one -march: ctq::convert
  if (!model) return give_up(model.error());

  ctq::session run{*model};
  ctq::tensor<float, 1, 10> logits;
  std::uint32_t hash = 2166136261U;  // FNV-1a
  for (int i = 0; i < 4; ++i) {
    fill(image.values, 1.0F);
    run(image, logits);
    for (const float x : logits) hash = (hash ^ std::bit_cast<std::uint32_t>(x)) * 16777619U;
  }
  std::printf("%.*s %08x\n", static_cast<int>(model->isa().size()), model->isa().data(), hash);
}
