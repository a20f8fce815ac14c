// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/op.hpp"
#include "ctq/spec/dtype_config.hpp"
#include "ctq/spec/observation_type.hpp"
#include "ctq/spec/pattern.hpp"

// What a backend does with one pattern:
//   backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<int8>,
//                          fused_module<nni::conv_relu2d>>

namespace ctq {

/// How a matched pattern becomes one module.
enum class fuser_kind : std::uint8_t {
  none,
  sequential,         // the fused module computes one part after the other
  fuse_conv_bn,       // batch norm is folded into the weights: a plain conv
  fuse_conv_bn_relu,  // the same, then relu: a conv_relu
};

/// Counts of tensor arguments for which an observation type can be set of its own.
inline constexpr std::size_t max_tensor_args = 4;

/// PyTorch's BackendPatternConfig. The dtype configs lie in the backend's one list.
struct backend_pattern_config_record {
  pattern_record pattern{};
  observation_type observation = observation_type::output_use_different_observer_as_input;
  std::array<observation_type, max_tensor_args> observation_of_args{};
  bool observation_depends_on_args{};
  int first_dtype_config{};
  int dtype_config_count{};
  op_id root_module{};
  op_id qat_module{};
  op_id fused_module{};
  fuser_kind fuser = fuser_kind::none;

  /// The type that holds for a node with so many tensor arguments.
  [[nodiscard]] constexpr observation_type observation_for(int tensor_args) const {
    const auto n = static_cast<std::size_t>(tensor_args);
    return observation_depends_on_args && n < max_tensor_args ? observation_of_args[n]
                                                              : observation;
  }
};

/// The dtype configs of a pattern; the first that fits a qconfig is taken.
template <class... Config>
struct dtype_configs {
  static constexpr std::size_t count = sizeof...(Config);
  template <class Records>
  static constexpr void append(Records& out) {
    (out.push_back(Config::value), ...);
  }
  static constexpr void apply(backend_pattern_config_record& r) {
    r.dtype_config_count = static_cast<int>(count);
  }
};

/// The module that holds the weight.
template <auto Op>
struct root_module {
  static constexpr void apply(backend_pattern_config_record& r) { r.root_module = Op.id(); }
};

/// What replaces the root module in quantization-aware training.
template <auto Op>
struct qat_module {
  static constexpr void apply(backend_pattern_config_record& r) { r.qat_module = Op.id(); }
};

/// What the pattern becomes. Without a fuser_method its parts follow one another in it.
template <auto Op>
struct fused_module {
  static constexpr void apply(backend_pattern_config_record& r) {
    r.fused_module = Op.id();
    if (r.fuser == fuser_kind::none) r.fuser = fuser_kind::sequential;
  }
};

template <fuser_kind Fuser>
struct fuser_method {
  static constexpr void apply(backend_pattern_config_record& r) { r.fuser = Fuser; }
};

template <observation_type Type>
struct observation {
  static constexpr void apply(backend_pattern_config_record& r) { r.observation = Type; }
};

/// The output has the quantization parameters of the input, by construction.
using share_observer_with_input = observation<observation_type::output_share_observer_with_input>;

/// The observation type by the number of tensor arguments: Type[n] for n of them.
template <observation_type... Type>
struct num_tensor_args_to_observation_type {
  static_assert(sizeof...(Type) <= max_tensor_args, "ctq: at most 3 tensor arguments");
  static constexpr void apply(backend_pattern_config_record& r) {
    r.observation_of_args = {Type...};
    r.observation_depends_on_args = true;
  }
};

namespace backend_parts {

/// The dtype_configs<...> among the parts of a pattern config, or an empty one.
template <class... Part>
struct dtype_configs_of {
  using type = dtype_configs<>;
};
template <class... Config, class... Rest>
struct dtype_configs_of<dtype_configs<Config...>, Rest...> {
  using type = dtype_configs<Config...>;
};
template <class First, class... Rest>
struct dtype_configs_of<First, Rest...> : dtype_configs_of<Rest...> {};

template <class Part>
inline constexpr int is_dtype_configs = 0;
template <class... Config>
inline constexpr int is_dtype_configs<dtype_configs<Config...>> = 1;

}  // namespace backend_parts

template <class Pattern, class... Part>
struct backend_pattern_config {
  static_assert((0 + ... + backend_parts::is_dtype_configs<Part>) <= 1,
                "ctq: a pattern has one list of dtype_configs");

  using pattern_type = Pattern;
  using dtype_configs_type = typename backend_parts::dtype_configs_of<Part...>::type;

  static constexpr backend_pattern_config_record value = [] {
    backend_pattern_config_record r{.pattern = Pattern::value};
    (Part::apply(r), ...);
    return r;
  }();
};

}  // namespace ctq
