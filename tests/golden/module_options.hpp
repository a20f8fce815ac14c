// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ctq/evaluate/evaluator.hpp"
#include "ctq/evaluate/module_state.hpp"
#include "ctq/graph/graph.hpp"

// What the constructors of modules were told, which the golden models do not say: the stride of a
// convolution, the kernel of a pool.
//
// Where the shape of a weight tells (kernel, groups), that holds. For the rest likely values are
// tried module by module in graph order, the defaults first: the first combination with which the
// model gives PyTorch's output is taken. What observers have seen of a module's output decides
// early, so that few combinations are tried.

namespace golden {

/// What an observer behind a node has seen in all calibration inputs.
struct seen_range {
  double min{}, max{};
  bool widened = false;    // histograms round their range up when it grows
  double averaging = 1.0;  // the part of a new range in a moving average; 1: none, the widest
  bool shared = false;     // by nodes of which each has a part of the range
};

struct option_search {
  ctq::graph_view<ctq::stage::fused> graph;
  std::map<std::string, std::string> types{};           // of modules, by path
  std::vector<std::vector<ctq::node_value>> inputs{};   // those of calibration, then to evaluate
  std::map<std::string, seen_range> seen{};             // by name of the node
  std::function<bool(const ctq::node_value&)> accepts;  // the output for the last inputs
  ctq::user_implementation implementation{};
};

/// Gives the modules the options that were found.
///   returns  empty; if no combination fits, the node that the search did not get beyond
[[nodiscard]] std::string find_options(const option_search& search, ctq::module_state& modules);

}  // namespace golden
