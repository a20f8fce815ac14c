// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/reflect.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace ctq;

static_assert(reflected<dtype_config_record>);
static_assert(!reflected<quant_range>);

TEST_CASE("fields come in the order of declaration, under PyTorch's names") {
  std::vector<std::string> names;
  const dtype_config_record config;
  for_each_field(config, [&](std::string_view name, const auto&) { names.emplace_back(name); });
  CHECK(names == std::vector<std::string>{"input_dtype", "output_dtype", "weight_dtype",
                                          "bias_dtype", "is_dynamic"});
}

static_assert(field_names<dtype_config_record>.size() == 5);
static_assert(field_names<dtype_config_record>[3] == "bias_dtype");
static_assert(field_of<dtype_config_record, 4>(dtype_config_record{.is_dynamic = true}));

TEST_CASE("fields can be written to") {
  dtype_config_record config;
  for_each_field(config, [](std::string_view, auto& field) {
    if constexpr (std::same_as<decltype(field), bool&>) field = true;
  });
  CHECK(config.is_dynamic);
}

TEST_CASE("differences are those fields that differ") {
  int differences = 0;
  for_each_difference(observer_args{.bins = 7}, observer_args{.bins = 8},
                      [&](std::string_view name, const auto&) {
                        CHECK(name == "bins");
                        ++differences;
                      });
  CHECK(differences == 1);
}

TEST_CASE("a record prints what differs from its defaults, nested ones too") {
  const dtype_config_record config{.input_dtype = {.dtype = quint8, .quant_max_upper_bound = 127},
                                   .is_dynamic = true};
  std::string text;
  append_record(text, config);
  CHECK(text == "(input_dtype=(dtype=quint8, quant_max_upper_bound=127), is_dynamic=True)");
}
