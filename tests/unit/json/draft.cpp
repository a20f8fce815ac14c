// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/draft.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>

using namespace ctq;

namespace {

/// Two configs whose parts lie one after the other.
constexpr json::backend_draft two_configs() {
  json::backend_draft d;
  d.name = "n";
  for (const op_id op : {nn::linear.id(), nn::relu.id(), nn::conv2d.id()})
    d.elements.push_back({op, op == nn::relu.id() ? 1 : 0});
  d.dtype_configs.push_back({.bias_dtype = f32});
  d.paths.push_back(path<1, 2>::value);
  d.observers.push_back(min_max_observer<>::value);
  d.observers.push_back(histogram_observer<>::value);
  d.configs.push_back({.pattern = {0, 1}, .dtype_configs = {0, 1}});
  d.configs.push_back({.pattern_complex_format = {{1, 2}},
                       .dtype_configs = {0, 1},
                       .root_module = nn::conv2d.id(),
                       .extra_inputs_getter = {0, 1},
                       .overwrite_output_fake_quantize = {1, 1}});
  return d;
}

static_assert([] {
  const json::backend_draft d = two_configs();
  const backend_pattern_config_record first = linked(d.configs[0], d);
  const backend_pattern_config_record second = linked(d.configs[1], d);
  return first.pattern == pattern<nn::linear>::value &&
         second.pattern == pattern<nn::conv2d, nn::relu>::value &&
         first.dtype_configs.items == second.dtype_configs.items;
}());

TEST_CASE("a config without parts is linked to nothing") {
  const json::backend_draft empty;
  CHECK(linked(json::config_draft{}, empty) == backend_pattern_config_record{});
}

TEST_CASE("linking keeps the record and adds its parts") {
  const json::backend_draft d = two_configs();
  const backend_pattern_config_record r = linked(d.configs[1], d);
  CHECK(r.root_module == nn::conv2d.id());
  REQUIRE(r.dtype_configs.size() == 1);
  CHECK(r.dtype_configs[0].bias_dtype == f32);
  REQUIRE(r.extra_inputs_getter.size() == 1);
  CHECK(r.extra_inputs_getter[0] == path<1, 2>::value);
  CHECK(r.overwrite_output_observer.empty());
  CHECK(r.overwrite_output_fake_quantize.items == &d.observers[1]);
}

TEST_CASE("the first observer is one, too") {
  json::backend_draft d = two_configs();
  d.configs[0].overwrite_output_observer = {0, 1};
  CHECK(linked(d.configs[0], d).overwrite_output_observer.items == d.observers.data());
}

TEST_CASE("a draft may grow and move before it is linked") {
  json::backend_draft d = two_configs();
  const pattern_element* const before = d.elements.data();
  for (int i = 0; i < 100; ++i) d.elements.push_back({});
  const json::backend_draft moved = std::move(d);
  REQUIRE(moved.elements.data() != before);
  CHECK(linked(moved.configs[1], moved).pattern == pattern<nn::conv2d, nn::relu>::value);
}

/// What spec_from_json keeps a draft in.
struct arrays {
  std::array<pattern_element, 2> elements{{{nn::relu.id(), 1}, {nn::conv2d.id(), 0}}};
  std::array<dtype_config_record, 0> dtype_configs{};
  std::array<node_path, 0> paths{};
  std::array<observer_record, 0> observers{};
};
constexpr arrays static_copy;
static_assert(linked(json::config_draft{.pattern = {0, 2}}, static_copy).pattern ==
              pattern<nn::conv2d, nn::relu>::value);

}  // namespace
