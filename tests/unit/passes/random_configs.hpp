// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "ctq/backends/x86.hpp"
#include "random_model.hpp"
#include "user_ops.hpp"

// Random configurations: backends that differ in what they fuse and quantize, and mappings with
// some modules in float.

namespace random_configs {

using namespace ctq;

using int8 = dtype_configs<weighted_int8>;

/// Quantizes conv and relu together without fusing them, and cats with qparams of their own.
struct no_fusion
    : backend_config<
          "no_fusion", backend_pattern_config<pattern<nn::conv2d>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::linear>, dtype_configs<weighted_int8>>,
          backend_pattern_config<pattern<nn::linear, fn::relu>, dtype_configs<weighted_int8>>,
          rows::arithmetic<int8, op::add>, rows::arithmetic<int8, op::add, nn::relu>,
          rows::sharing<dtype_configs<activation_int8>, nn::relu>,
          backend_pattern_config<pattern<fn::relu>, dtype_configs<activation_int8>>,
          backend_pattern_config<pattern<fn::cat>, dtype_configs<activation_int8>>,
          backend_pattern_config<pattern<nn::max_pool2d>, dtype_configs<activation_int8>>,
          rows::sharing<dtype_configs<activation_int8>, fn::flatten>> {};

/// Trees, and an op that is not observed.
struct with_trees
    : x86::set<"with_trees",
               backend_pattern_config<pattern<nested<op::add, match_all, nn::linear>>,
                                      dtype_configs<weighted_int8>>,
               backend_pattern_config<pattern<nested<fn::add, nn::conv2d, match_all>, nn::relu>,
                                      dtype_configs<weighted_int8>>,
               rows::plain<dtype_configs<activation_int8>, own::swish>,
               rows::plain<dtype_configs<activation_int8>, own::reverse>,
               rows::plain<dtype_configs<activation_int8>, own::add_swish>,
               backend_pattern_config<pattern<nn::flatten>, dtype_configs<activation_int8>,
                                      observation<observation_type::input_output_not_observed>>> {};

/// A mapping with some modules in float and some with another range.
struct random_mapping {
  using usual = qconfig<histogram_observer<>, per_channel_min_max_observer<>>;
  using narrow =
      qconfig<histogram_observer<{.reduce_range = true}>, per_channel_min_max_observer<>>;

  explicit random_mapping(random_model& m) {
    entries.push_back(global<usual>::value);
    if (m.chance(30)) entries.push_back(object_type<op::add, narrow>::value);
    if (m.chance(30)) entries.push_back(object_type<nn::conv2d, narrow>::value);
    if (m.chance(20)) entries.push_back(module_name_regex<R"(layer[12]\.)", narrow>::value);
    const graph_view<stage::traced> g = m.graph().view();
    if (m.chance(50)) return;
    for (int i = 0; i < g.size(); ++i) {
      mapping_entry e = allow_float<"">::value;
      e.module = g[i].name;
      if (m.chance(15)) entries.push_back(e);
    }
  }

  [[nodiscard]] mapping_view view() const {
    return {entries.data(), static_cast<int>(entries.size())};
  }

  std::vector<mapping_entry> entries;
};

inline backend_view random_backend(random_model& m) {
  const backend_view backends[] = {backend_v<x86>, backend_v<x86>, backend_v<no_fusion>,
                                   backend_v<with_trees>};
  return backends[m.below(4)];
}

}  // namespace random_configs
