// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ctq/runtime/weights.hpp>
#include <random>
#include <utility>
#include <vector>

namespace demo {

/// Normally distributed weights for all nodes of a model. Trained weights would be loaded with
/// ctq::load_weights.
[[nodiscard]] inline ctq::weights random_weights(ctq::graph_view<ctq::stage::traced> model,
                                                 std::mt19937& random_bits) {
  std::normal_distribution<float> normal{0.0F, 0.2F};
  std::vector<ctq::weight_tensor> all;
  for (int i = 0; i < model.size(); ++i)
    for (const ctq::parameter& p : ctq::parameters_of(model[i])) {
      std::size_t count = 1;
      for (const int extent : p.shape) count *= static_cast<std::size_t>(extent);
      all.push_back({p.name, p.shape, std::vector<float>(count)});
      for (float& x : all.back().values) x = normal(random_bits);
    }
  return ctq::weights{std::move(all)};
}

}  // namespace demo
