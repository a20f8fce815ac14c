// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/following_options.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;

namespace {

/// The slope among the options of what follows a linear layer; -1: there is none.
double slope_of(const node& n, const module_state& modules) {
  std::vector<float_ops::named_value> all = following_attributes(n, modules);
  const float_ops::value* const slope = find(all, "negative_slope");
  return slope == nullptr ? -1.0 : *float_ops::as_real(*slope);
}

}  // namespace

TEST_CASE("the options of what follows a layer are those of the node in C++") {
  const node n{.name = "fc",
               .op = nni::linear_leaky_relu.id(),
               .attrs = with_following(attributes{linear_options{4, 4}},
                                       attributes{leaky_relu_options{.negative_slope = 0.25F}})};
  CHECK(slope_of(n, {}) == 0.25);
  CHECK(following_attributes({.name = "fc", .op = nn::linear.id()}, {}).empty());
}

TEST_CASE("of a traced module they are its own, also if it is a part of one module") {
  module_state modules;
  modules.set_option("act", "negative_slope", 0.5);
  modules.set_option("both", "1.negative_slope", 0.75);
  const fx_row of_layer{.target = "fc"}, of_module{.target = "act"}, of_both{.target = "both"};
  node n{.name = "fc", .op = nni::linear_leaky_relu.id()};
  n.row = &of_layer;
  n.then_row = &of_module;
  CHECK(slope_of(n, modules) == 0.5);
  n.row = &of_both;
  n.then_row = nullptr;
  CHECK(slope_of(n, modules) == 0.75);
}

TEST_CASE("of a traced function they are its arguments") {
  const fx_row of_layer{.target = "fc"};
  const argument by_position[] = {{.is = argument::kind::node},
                                  {.is = argument::kind::real, .real = 0.125}};
  const argument by_name[] = {
      {.is = argument::kind::node, .keyword = "input"},
      {.is = argument::kind::real, .keyword = "negative_slope", .real = 0.375}};
  const fx_row first{.args = {by_position, 2}}, second{.args = {by_name, 2}};
  node n{.name = "fc", .op = nni::linear_leaky_relu.id()};
  n.row = &of_layer;
  n.then_row = &first;
  CHECK(slope_of(n, {}) == 0.125);
  n.then_row = &second;
  CHECK(slope_of(n, {}) == 0.375);
}
