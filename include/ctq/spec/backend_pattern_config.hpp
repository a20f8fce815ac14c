// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ctq/core/containers/view.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/spec/dtype_config.hpp"
#include "ctq/spec/fuser_method.hpp"
#include "ctq/spec/node_path.hpp"
#include "ctq/spec/observation_type.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/pattern.hpp"

// The config of one pattern in a backend:
//   backend_pattern_config<pattern<nn::conv2d, nn::relu>, dtype_configs<int8>,
//                          fused_module<nni::conv_relu2d>>
// The parts are named as PyTorch's setters, without set_.

namespace ctq {

/// An observation type can be set for 0 to 3 tensor arguments.
inline constexpr int max_tensor_args = 4;

/// Observation types by number of tensor arguments, where given.
struct tensor_args_record {
  std::array<observation_type, max_tensor_args> type{};
  std::array<bool, max_tensor_args> given{};

  friend constexpr bool operator==(const tensor_args_record&, const tensor_args_record&) = default;
};

/// Positions of a function's arguments; -1: unspecified.
struct input_index_record {
  int input = -1;
  int weight = -1;
  int bias = -1;

  friend constexpr bool operator==(const input_index_record&, const input_index_record&) = default;
};

/// PyTorch 1.13's _set_input_output_observed.
enum class observed : std::uint8_t { unspecified, yes, no };

/// PyTorch's BackendPatternConfig; members are named as its keys. Omitted values are null or empty.
struct backend_pattern_config_record {
  pattern_record pattern{};
  ctq::observation_type observation_type =
      ctq::observation_type::output_use_different_observer_as_input;
  view<dtype_config_record> dtype_configs{};
  op_id root_module{};
  op_id qat_module{};
  op_id reference_quantized_module_for_root{};
  op_id fused_module{};
  fuser_id fuser_method{};
  node_path root_node_getter{};
  view<node_path> extra_inputs_getter{};
  tensor_args_record num_tensor_args_to_observation_type{};
  input_index_record input_type_to_index{};
  // PyTorch 1.13 only:
  observed input_output_observed = observed::unspecified;
  view<observer_record> overwrite_output_observer{};  // one, or none
  view<observer_record> overwrite_output_fake_quantize{};

  /// The observation type of a node with that many tensor arguments.
  [[nodiscard]] constexpr ctq::observation_type observation_for(int tensor_args) const {
    if (input_output_observed == observed::no)
      return ctq::observation_type::input_output_not_observed;
    const tensor_args_record& by = num_tensor_args_to_observation_type;
    const auto n = static_cast<std::size_t>(tensor_args);
    return n < by.given.size() && by.given[n] ? by.type[n] : observation_type;
  }

  friend constexpr bool operator==(const backend_pattern_config_record&,
                                   const backend_pattern_config_record&) = default;
};

/// The element of the root: the one at the config's path, else the one reached by taking the last
/// element of each tuple, ignoring MatchAllNode.
[[nodiscard]] constexpr int root_element(const backend_pattern_config_record& c) {
  if (!c.root_node_getter.empty()) return element_at(c.pattern, c.root_node_getter);
  int i = c.pattern.element.size() - 1;
  while (i > 0 && c.pattern.element[i].op == nullptr) --i;
  return i;
}

/// The dtype configs of a pattern; the first that matches the qconfig is used.
template <class... Config>
struct dtype_configs {
  static constexpr std::array<dtype_config_record, sizeof...(Config)> list{Config::value...};
  static constexpr void apply(backend_pattern_config_record& r) {
    r.dtype_configs = {list.data(), static_cast<int>(list.size())};
  }
};

/// The module that owns the weight.
template <auto Op>
struct root_module {
  static constexpr void apply(backend_pattern_config_record& r) { r.root_module = Op.id(); }
};

/// The module that replaces the root module in quantization-aware training.
template <auto Op>
struct qat_module {
  static constexpr void apply(backend_pattern_config_record& r) { r.qat_module = Op.id(); }
};

/// The module that replaces the root module in the reference model.
template <auto Op>
struct reference_quantized_module {
  static constexpr void apply(backend_pattern_config_record& r) {
    r.reference_quantized_module_for_root = Op.id();
  }
};

/// The module that replaces the pattern. Without a fuser_method it runs the parts in sequence.
template <auto Op>
struct fused_module {
  static constexpr void apply(backend_pattern_config_record& r) {
    r.fused_module = Op.id();
    if (r.fuser_method == nullptr) r.fuser_method = &sequential_wrapper2;
  }
};

/// How the pattern is fused: fuser_method<fuse_conv_bn>, or a user-defined fuser.
template <const fuser& Fuser>
struct fuser_method {
  static constexpr void apply(backend_pattern_config_record& r) { r.fuser_method = &Fuser; }
};

/// The path of the root node of the pattern, which owns the weight and whose arguments the fused
/// module gets. The default is the node reached by taking the last element of each tuple.
template <class Path>
struct root_node_getter {
  static constexpr void apply(backend_pattern_config_record& r) {
    r.root_node_getter = Path::value;
  }
};

/// The paths of nodes that the fused module gets as additional arguments.
template <class... Path>
struct extra_inputs_getter {
  static constexpr std::array<node_path, sizeof...(Path)> list{Path::value...};
  static constexpr void apply(backend_pattern_config_record& r) {
    r.extra_inputs_getter = {list.data(), static_cast<int>(list.size())};
  }
};

template <observation_type Type>
struct observation {
  static constexpr void apply(backend_pattern_config_record& r) { r.observation_type = Type; }
};

/// The output always has the quantization parameters of the input.
using share_observer_with_input = observation<observation_type::output_share_observer_with_input>;

/// Nothing is observed: the op has no values to quantize (size, shape).
using not_observed = observation<observation_type::input_output_not_observed>;

/// Observation types by number of tensor arguments: Type[n] for n arguments.
template <observation_type... Type>
struct num_tensor_args_to_observation_type {
  static_assert(sizeof...(Type) <= max_tensor_args, "ctq: at most 3 tensor arguments");
  static constexpr void apply(backend_pattern_config_record& r) {
    r.num_tensor_args_to_observation_type.type = {Type...};
    for (std::size_t n = 0; n < sizeof...(Type); ++n)
      r.num_tensor_args_to_observation_type.given[n] = true;
  }
};

/// Argument positions of a function's weight and bias:
///   input_type_to_index<{.weight = 1, .bias = 2}>
template <input_index_record Index>
struct input_type_to_index {
  static constexpr void apply(backend_pattern_config_record& r) { r.input_type_to_index = Index; }
};

/// PyTorch 1.13: false for embeddings, whose input is an index.
template <bool Observed>
struct input_output_observed {
  static constexpr void apply(backend_pattern_config_record& r) {
    r.input_output_observed = Observed ? observed::yes : observed::no;
  }
};

/// PyTorch 1.13: the output's observer, overriding the qconfig.
template <class Observer>
struct overwrite_output_observer {
  static constexpr void apply(backend_pattern_config_record& r) {
    r.overwrite_output_observer = {&Observer::value, 1};
  }
};

/// PyTorch 1.13: the same in training.
template <class FakeQuantize>
struct overwrite_output_fake_quantize {
  static constexpr void apply(backend_pattern_config_record& r) {
    r.overwrite_output_fake_quantize = {&FakeQuantize::value, 1};
  }
};

namespace backend_parts {

template <class Part>
inline constexpr int is_dtype_configs = 0;
template <class... Config>
inline constexpr int is_dtype_configs<dtype_configs<Config...>> = 1;

}  // namespace backend_parts

/// The config of a pattern: parts in any order.
template <class Pattern, class... Part>
struct backend_pattern_config {
  static_assert((0 + ... + backend_parts::is_dtype_configs<Part>) <= 1,
                "ctq: a pattern has one list of dtype_configs");

  using pattern_type = Pattern;

  /// Writes the config into a new record.
  static constexpr void write(backend_pattern_config_record& r) {
    r.pattern = Pattern::value;
    (Part::apply(r), ...);
  }
  static constexpr backend_pattern_config_record value = [] {
    backend_pattern_config_record r;
    write(r);
    return r;
  }();
};

}  // namespace ctq
