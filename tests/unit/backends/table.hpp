// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/builtin_ops.hpp"
#include "ctq/spec/backend_config.hpp"
#include "ctq/spec/validate.hpp"

// What the tests of backends ask of a table.

namespace backend_tests {

using namespace ctq;

/// How many rows name each field, and how many are observed otherwise than usual.
struct counts {
  int rows{};
  int fuser_method{};
  int fused_module{};
  int root_module{};
  int qat_module{};
  int reference{};
  int num_tensor_args{};
  int input_type_to_index{};
  int root_node_getter{};
  int extra_inputs_getter{};
  int share{};
  int not_observed{};

  friend constexpr bool operator==(const counts&, const counts&) = default;
};

constexpr counts count(const backend_view& b) {
  counts n;
  for (const backend_pattern_config_record& c : b.configs) {
    ++n.rows;
    n.fuser_method += c.fuser_method != nullptr;
    n.fused_module += c.fused_module != nullptr;
    n.root_module += c.root_module != nullptr;
    n.qat_module += c.qat_module != nullptr;
    n.reference += c.reference_quantized_module_for_root != nullptr;
    n.num_tensor_args += c.num_tensor_args_to_observation_type != tensor_args_record{};
    n.input_type_to_index += c.input_type_to_index != input_index_record{};
    n.root_node_getter += !c.root_node_getter.empty();
    n.extra_inputs_getter += !c.extra_inputs_getter.empty();
    n.share += c.observation_type == observation_type::output_share_observer_with_input;
    n.not_observed += c.observation_type == observation_type::input_output_not_observed;
  }
  return n;
}

/// The place of a pattern, from 0. -1: the backend does not have it.
template <class Backend, auto... Op>
constexpr int place() {
  const auto& configs = backend_v<Backend>.configs;
  for (int i = 0; i < configs.size(); ++i)
    if (configs[i].pattern == pattern<Op...>::value) return i;
  return -1;
}

template <class Backend, auto... Op>
inline constexpr backend_pattern_config_record row =
    backend_v<Backend>.configs[place<Backend, Op...>()];

/// Does the row have these dtype configs, in this order?
template <class... Config>
constexpr bool has(const backend_pattern_config_record& c) {
  return c.dtype_configs ==
         view<dtype_config_record>{dtype_configs<Config...>::list.data(), sizeof...(Config)};
}

/// How many things validate finds. A variable, because clang evaluates what stands in a
/// static_assert several times.
template <class Backend>
inline constexpr int finding_count = validate(backend_v<Backend>).size();

inline constexpr auto different = observation_type::output_use_different_observer_as_input;
inline constexpr auto share = observation_type::output_share_observer_with_input;
inline constexpr auto unobserved = observation_type::input_output_not_observed;

}  // namespace backend_tests
