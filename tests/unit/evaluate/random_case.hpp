// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "ctq/evaluate/evaluation_options.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/evaluate/node_value.hpp"
#include "ctq/graph/graph.hpp"
#include "ctq/runtime/weights.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/qconfig_mapping.hpp"
#include "random_model.hpp"

// A random model with weights, and what it becomes when it is lowered.

namespace random_cases {

using namespace ctq;

/// Uniform in [low, high), from the generator that made the graph.
class random_numbers {
 public:
  explicit random_numbers(unsigned seed) : random_(seed ^ 0x9E3779B9U) {}

  float between(float low, float high) {
    return low + (high - low) * (static_cast<float>(random_() >> 8) * 0x1p-24F);
  }
  std::vector<float> some(std::size_t count, float low, float high) {
    std::vector<float> all(count);
    for (float& x : all) x = between(low, high);
    return all;
  }

 private:
  std::mt19937 random_;
};

/// What an op of the user's own means, by its functions; rounded where the node is on integers.
[[nodiscard]] user_implementation implementation_of_user_ops(const model_qparams* qparams);

struct random_case {
  explicit random_case(unsigned seed);

  float_ops::tensor input();

  random_model model;
  random_numbers random;
  weights float_weights;
  module_state modules;
};

/// Lowered as its qconfig asks for, with what three random inputs have shown to its observers.
struct lowered_case {
  explicit lowered_case(random_case& c);
  lowered_case(const lowered_case&) = delete;  // the graphs view each other's nodes
  lowered_case& operator=(const lowered_case&) = delete;
  ~lowered_case() = default;

  [[nodiscard]] mapping_view mapping() const { return {entries, 3}; }

  backend_view backend;
  mapping_entry entries[3];
  dynamic_graph<stage::fused> fused;
  dynamic_graph<stage::prepared> prepared;
  dynamic_graph<stage::reference> reference;
  dynamic_graph<stage::lowered> lowered;
  model_qparams qparams;
};

/// What each node gives, op by op; an error fails the test.
[[nodiscard]] std::vector<node_value> run(graph_view<stage::traced> g, const module_state& modules,
                                          const float_ops::tensor& x);
[[nodiscard]] std::vector<node_value> run(graph_view<stage::fused> g, const module_state& modules,
                                          const float_ops::tensor& x);
[[nodiscard]] std::vector<node_value> run(graph_view<stage::lowered> g, const module_state& modules,
                                          const float_ops::tensor& x, const model_qparams& qparams);

/// The elements of what the last node gives.
[[nodiscard]] std::vector<float> output_of(const std::vector<node_value>& values);

}  // namespace random_cases
