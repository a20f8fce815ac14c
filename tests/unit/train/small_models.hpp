// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/plan.hpp"
#include "ctq/runtime/weights.hpp"
#include "ctq/train/random.hpp"

namespace small {

/// Uniformly distributed weights; variances are positive.
template <const auto& Net>
[[nodiscard]] ctq::weights uniform_weights(std::uint64_t seed) {
  ctq::training::random_source random(seed);
  std::vector<ctq::weight_tensor> all;
  const auto g = Net.view();
  for (int i = 0; i < g.size(); ++i)
    for (const ctq::parameter& p : ctq::parameters_of(g[i])) {
      std::size_t count = 1;
      for (const int e : p.shape) count *= static_cast<std::size_t>(e);
      std::vector<float> values(count);
      const bool is_positive = p.name.ends_with("running_var");
      for (float& v : values) v = is_positive ? random.uniform() + 0.5F : random.uniform() - 0.5F;
      all.push_back({p.name, p.shape, std::move(values)});
    }
  return ctq::weights{std::move(all)};
}

[[nodiscard]] inline std::vector<float> random_values(std::size_t count, std::uint64_t seed) {
  ctq::training::random_source random(seed);
  std::vector<float> x(count);
  for (float& v : x) v = 2.0F * random.uniform() - 1.0F;
  return x;
}

}  // namespace small
