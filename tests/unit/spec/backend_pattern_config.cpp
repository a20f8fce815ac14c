// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/backend_pattern_config.hpp"

#include <doctest/doctest.h>

#include "ctq/core/ops.hpp"

using namespace ctq;

namespace {

using u8 = dtype_with_constraints<quint8>;
using s8 = dtype_with_constraints<qint8>;
using first = dtype_config<input_dtype<u8>>;
using second = dtype_config<input_dtype<s8>>;
constexpr auto different = observation_type::output_use_different_observer_as_input;
constexpr auto share = observation_type::output_share_observer_with_input;
constexpr auto not_observed = observation_type::input_output_not_observed;

constexpr auto plain = backend_pattern_config<pattern<nn::linear>>::value;
static_assert(plain.pattern == pattern<nn::linear>::value);
static_assert(plain.observation == different);  // PyTorch's default
static_assert(plain.dtype_config_count == 0 && plain.root_module == nullptr);
static_assert(plain.fused_module == nullptr && plain.fuser == fuser_kind::none);

constexpr auto full =
    backend_pattern_config<pattern<nn::conv2d, nn::relu>, share_observer_with_input,
                           dtype_configs<first, second>, root_module<nn::conv2d>,
                           qat_module<nni::conv_relu2d>, fused_module<nni::conv_relu2d>>::value;
static_assert(full.observation == share && full.dtype_config_count == 2);
static_assert(full.root_module == nn::conv2d.id() && full.qat_module == nni::conv_relu2d.id());
static_assert(full.fused_module == nni::conv_relu2d.id());
static_assert(full.fuser == fuser_kind::sequential);  // without a fuser method

// A fuser method holds wherever it stands.
template <class... Part>
constexpr auto fuser_of = backend_pattern_config<pattern<nn::relu>, Part...>::value.fuser;
static_assert(fuser_of<fused_module<nni::conv_bn2d>, fuser_method<fuser_kind::fuse_conv_bn>> ==
              fuser_kind::fuse_conv_bn);
static_assert(fuser_of<fuser_method<fuser_kind::fuse_conv_bn>, fused_module<nni::conv_bn2d>> ==
              fuser_kind::fuse_conv_bn);

using by_args = num_tensor_args_to_observation_type<different, share, different>;
constexpr auto add =
    backend_pattern_config<pattern<op::add>, by_args, observation<not_observed>>::value;
static_assert(add.observation_for(0) == different);
static_assert(add.observation_for(1) == share);
static_assert(add.observation_for(2) == different);
static_assert(add.observation_for(40) == not_observed);  // beyond the list: the general type
static_assert(full.observation_for(2) == share);

TEST_CASE("the dtype configs of a pattern keep their order") {
  using config = backend_pattern_config<pattern<nn::linear>, root_module<nn::linear>,
                                        dtype_configs<second, first>>;
  static_vector<dtype_config_record, 4> records;
  config::dtype_configs_type::append(records);
  REQUIRE(records.size() == 2);
  CHECK(records[0] == second::value);
  CHECK(records[1] == first::value);
}

}  // namespace
