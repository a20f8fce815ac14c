// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/backends/x86.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ctq/spec/validate.hpp"

using namespace ctq;

namespace {

constexpr backend_view b = backend_v<x86>;
static_assert(b.name == "x86");
static_assert(!validate(b).any());
struct checked : checked_backend<x86> {};

/// The config of a pattern. Null if there is none.
template <auto... Op>
constexpr const backend_pattern_config_record* config() {
  for (int i = 0; i < b.count; ++i)
    if (b.configs[i].pattern == pattern<Op...>::value) return b.configs + i;
  return nullptr;
}

constexpr auto different = observation_type::output_use_different_observer_as_input;
constexpr auto share = observation_type::output_share_observer_with_input;

// As in PyTorch: weighted ops have a root, chains are fused, pools and views share the observer.
static_assert(config<nn::conv2d>()->root_module == nn::conv2d.id());
static_assert(config<nn::linear>()->root_module == nn::linear.id());
static_assert(config<nn::conv2d, nn::relu>()->fused_module == nni::conv_relu2d.id());
static_assert(config<nn::conv2d, fn::relu>()->fused_module == nni::conv_relu2d.id());
static_assert(config<nn::linear, nn::relu>()->fused_module == nni::linear_relu.id());
static_assert(config<nn::conv2d, nn::batch_norm2d>()->fuser == fuser_kind::fuse_conv_bn);
static_assert(config<nn::conv2d, nn::batch_norm2d, nn::relu>()->fuser ==
              fuser_kind::fuse_conv_bn_relu);
static_assert(config<nni::conv_relu2d>()->fuser == fuser_kind::none);
static_assert(config<nn::conv2d>()->observation == different);
static_assert(config<fn::cat>()->observation == share);
static_assert(config<nn::max_pool2d>()->observation == share);
static_assert(config<fn::flatten>()->observation == share);

// With a scalar the output has the input's parameters, with two tensors its own.
static_assert(config<op::add>()->observation_for(0) == different);
static_assert(config<op::add>()->observation_for(1) == share);
static_assert(config<op::add>()->observation_for(2) == different);
static_assert(config<fn::add, nn::relu>()->observation_for(2) == different);

static_assert(config<nn::batch_norm2d>() == nullptr);

TEST_CASE("the patterns stand in PyTorch's order") {
  // The place of each in the configs of get_x86_backend_config, PyTorch 1.13.1.
  struct place {
    const backend_pattern_config_record* config;
    int at;
  };
  const std::vector<place> places = {
      {config<nn::conv2d>(), 18},
      {config<nn::conv2d, nn::relu>(), 21},
      {config<nn::conv2d, fn::relu>(), 22},
      {config<nni::conv_relu2d>(), 23},
      {config<nn::conv2d, nn::batch_norm2d>(), 27},
      {config<nn::conv2d, nn::batch_norm2d, nn::relu>(), 28},
      {config<nn::conv2d, nn::batch_norm2d, fn::relu>(), 29},
      {config<nn::linear>(), 54},
      {config<nn::linear, nn::relu>(), 57},
      {config<nn::linear, fn::relu>(), 58},
      {config<nni::linear_relu>(), 59},
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    REQUIRE(places[i].config != nullptr);
    if (i > 0) CHECK(places[i - 1].config < places[i].config);
  }
}

TEST_CASE("activations are quint8, weights qint8, without further bounds") {
  for (int i = 0; i < b.count; ++i) {
    const backend_pattern_config_record& c = b.configs[i];
    REQUIRE(c.dtype_config_count == 1);
    const dtype_config_record& d = b.dtype_configs[c.first_dtype_config];
    CHECK(d.input_dtype == dtype_with_constraints<quint8>::value);
    CHECK(d.output_dtype == dtype_with_constraints<quint8>::value);
    CHECK((d.weight_dtype.dtype == qint8 || c.observation == share));
    CHECK(!d.is_dynamic);
  }
}

}  // namespace
