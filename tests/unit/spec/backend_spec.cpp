// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/backend_spec.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "ctq/backends/onednn.hpp"
#include "ctq/backends/x86.hpp"

using namespace ctq;

namespace {

constexpr backend_pattern_config_record linear_in_float{.pattern = pattern<nn::linear>::value};
constexpr backend_pattern_config_record flatten{
    .pattern = pattern<nn::flatten>::value,
    .observation_type = observation_type::output_share_observer_with_input};

// In a constant as well.
constexpr int two_of_three() {
  backend_spec s{"mine"};
  s.set_backend_pattern_config(linear_in_float).set_backend_pattern_config(flatten);
  s.set_backend_pattern_config(linear_in_float);
  return s.configs().size();
}
static_assert(two_of_three() == 2);

TEST_CASE("a config replaces that of the same pattern in its place, others come last") {
  backend_spec mine{backend_v<x86>};
  const int count = mine.configs().size();
  int at = 0;
  while (!(mine.configs()[at].pattern == linear_in_float.pattern)) ++at;
  mine.set_name("mine").set_backend_pattern_config(linear_in_float);
  mine.set_backend_pattern_config(flatten);
  CHECK(mine.view().name == "mine");
  CHECK(mine.configs().size() == count + 1);
  CHECK(mine.configs()[at] == linear_in_float);
  CHECK(mine.configs()[count] == flatten);
}

TEST_CASE("the same as the types say") {
  struct by_types
      : x86::set<"mine", backend_pattern_config<pattern<nn::linear>>,
                 backend_pattern_config<pattern<nn::flatten>, share_observer_with_input>> {};
  backend_spec mine{backend_v<x86>};
  mine.set_name("mine").set_backend_pattern_config(linear_in_float);
  mine.set_backend_pattern_config(flatten);
  CHECK(mine.view() == backend_v<by_types>);
}

TEST_CASE("it owns all that its records point to") {
  backend_spec copy{"copy"};
  {
    const std::string name = "a name that is gone";
    const pattern_element elements[] = {{nn::relu.id(), 1}, {nn::conv2d.id(), 0}};
    const dtype_config_record dtypes[] = {{.bias_dtype = f16}};
    const node_path paths[] = {path<1>::value};
    const observer_record observer = fixed_qparams_observer<{.scale = 0.5F}>::value;
    copy.set_name(name).set_backend_pattern_config(
        {.pattern = {{elements, 2}},
         .dtype_configs = {dtypes, 1},
         .extra_inputs_getter = {paths, 1},
         .overwrite_output_fake_quantize = {&observer, 1}});
  }
  const backend_spec moved = std::move(copy);
  REQUIRE(moved.configs().size() == 1);
  const backend_pattern_config_record& c = moved.configs()[0];
  CHECK(moved.view().name == "a name that is gone");
  CHECK(c.pattern == pattern<nn::conv2d, nn::relu>::value);
  CHECK(c.dtype_configs[0].bias_dtype == f16);
  CHECK(c.extra_inputs_getter[0] == path<1>::value);
  CHECK(c.overwrite_output_observer.empty());
  REQUIRE(c.overwrite_output_fake_quantize.size() == 1);
  CHECK(c.overwrite_output_fake_quantize[0].args.scale == 0.5F);
}

TEST_CASE("large tables survive the copy") {
  const backend_spec copy{backend_v<onednn>};
  CHECK(copy.view() == backend_v<onednn>);
}

}  // namespace
