// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/backend_pattern_config.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"

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
static_assert(plain.observation_type == different);  // PyTorch's default
static_assert(plain.dtype_configs.empty() && plain.root_module == nullptr);
static_assert(plain.fused_module == nullptr && plain.fuser_method == nullptr);

constexpr auto full =
    backend_pattern_config<pattern<nn::conv2d, nn::relu>, share_observer_with_input,
                           dtype_configs<first, second>, root_module<nn::conv2d>,
                           qat_module<nni::conv_relu2d>, fused_module<nni::conv_relu2d>,
                           reference_quantized_module<nnqr::conv2d>>::value;
static_assert(full.observation_type == share && full.dtype_configs.size() == 2);
static_assert(full.dtype_configs[0] == first::value && full.dtype_configs[1] == second::value);
static_assert(full.reference_quantized_module_for_root == nnqr::conv2d.id());
static_assert(full.root_module == nn::conv2d.id() && full.qat_module == nni::conv_relu2d.id());
static_assert(full.fused_module == nni::conv_relu2d.id());
static_assert(full.fuser_method == &sequential_wrapper2);  // without a fuser method

// A fuser method holds wherever it stands.
template <class... Part>
constexpr auto fuser_of = backend_pattern_config<pattern<nn::relu>, Part...>::value.fuser_method;
static_assert(fuser_of<fused_module<nni::conv_bn2d>, fuser_method<fuse_conv_bn>> == &fuse_conv_bn);
static_assert(fuser_of<fuser_method<fuse_conv_bn>, fused_module<nni::conv_bn2d>> == &fuse_conv_bn);

using by_args = num_tensor_args_to_observation_type<different, share, different>;
constexpr auto add =
    backend_pattern_config<pattern<op::add>, by_args, observation<not_observed>>::value;
static_assert(add.observation_for(0) == different);
static_assert(add.observation_for(1) == share);
static_assert(add.observation_for(2) == different);
static_assert(add.observation_for(40) == not_observed);  // beyond the list: the general type
static_assert(full.observation_for(2) == share);

// PyTorch 1.13's embeddings.
constexpr auto embedding =
    backend_pattern_config<pattern<nn::embedding>, input_output_observed<false>>::value;
static_assert(embedding.observation_type == different);
static_assert(embedding.observation_for(1) == not_observed);

constexpr auto observed_embedding =
    backend_pattern_config<pattern<nn::embedding>, input_output_observed<true>>::value;
static_assert(observed_embedding.observation_for(1) == different);

using in_a_tree = pattern<nested<nn::relu, nested<op::add, match_all, nn::conv2d>>>;
constexpr auto residual = backend_pattern_config<in_a_tree, root_node_getter<path<1, 2>>,
                                                 extra_inputs_getter<path<1, 1>>>::value;
static_assert(residual.root_node_getter == path<1, 2>::value);
static_assert(residual.extra_inputs_getter.size() == 1);
static_assert(residual.extra_inputs_getter[0] == path<1, 1>::value);

constexpr auto function =
    backend_pattern_config<pattern<fn::linear>,
                           input_type_to_index<{.weight = 1, .bias = 2}>>::value;
static_assert(function.input_type_to_index ==
              input_index_record{.input = -1, .weight = 1, .bias = 2});

// Equal means equal in what it says, wherever the lists lie.
using sigmoid_range = fixed_qparams_observer<{.scale = 0x1p-8F}>;
using tanh_range = fixed_qparams_observer<{.scale = 0x1p-7F, .zero_point = 128}>;
template <class Observer>
constexpr auto overwritten =
    backend_pattern_config<pattern<nn::sigmoid>, overwrite_output_observer<Observer>>::value;

TEST_CASE("configs that say the same are equal") {
  CHECK(
      full ==
      backend_pattern_config<pattern<nested<nn::relu, nn::conv2d>>, dtype_configs<first, second>,
                             share_observer_with_input, root_module<nn::conv2d>,
                             reference_quantized_module<nnqr::conv2d>, qat_module<nni::conv_relu2d>,
                             fused_module<nni::conv_relu2d>>::value);
  CHECK(overwritten<sigmoid_range> == overwritten<sigmoid_range>);
}

TEST_CASE("configs that differ in one field are not equal") {
  CHECK(full != plain);
  CHECK(residual != backend_pattern_config<in_a_tree, root_node_getter<path<1, 2>>,
                                           extra_inputs_getter<path<1, 0>>>::value);
  CHECK(overwritten<sigmoid_range> != overwritten<tanh_range>);
  CHECK(overwritten<sigmoid_range> != backend_pattern_config<pattern<nn::sigmoid>>::value);
}

}  // namespace
