// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/containers/list.hpp"
#include "ctq/spec/backend_config.hpp"

// A backend that is built at run time, as PyTorch's BackendConfig:
//
//   backend_spec mine{backend_v<x86>};
//   mine.set_name("mine").set_backend_pattern_config({.pattern = pattern<nn::linear>::value});
//   validate(mine.view());
//
// It owns everything that its records point to, except ops and fusers, whose addresses are their
// identities.

namespace ctq {

/// A backend that owns its configs. Move-only.
class backend_spec {
 public:
  constexpr explicit backend_spec(std::string_view name = {}) { set_name(name); }
  constexpr explicit backend_spec(const backend_view& backend) {
    set_name(backend.name);
    set_backend_pattern_configs(backend.configs);
  }

  constexpr backend_spec(backend_spec&&) = default;
  constexpr backend_spec& operator=(backend_spec&&) = default;
  backend_spec(const backend_spec&) = delete;
  backend_spec& operator=(const backend_spec&) = delete;

  constexpr backend_spec& set_name(std::string_view name) {
    name_ = list<char>{name.data(), name.size()};
    return *this;
  }

  /// Replaces the config for the same pattern, or appends.
  constexpr backend_spec& set_backend_pattern_config(const backend_pattern_config_record& config) {
    std::size_t at = 0;
    while (at < configs_.size() && !(configs_[at].pattern == config.pattern)) ++at;
    if (at == configs_.size()) {
      configs_.emplace_back();
      lists_.emplace_back();
    }
    configs_[at] = config;
    lists_[at].own(configs_[at]);
    return *this;
  }

  constexpr backend_spec& set_backend_pattern_configs(
      ctq::view<backend_pattern_config_record> configs) {
    for (const backend_pattern_config_record& c : configs) set_backend_pattern_config(c);
    return *this;
  }

  [[nodiscard]] constexpr ctq::view<backend_pattern_config_record> configs() const {
    return {configs_.data(), static_cast<int>(configs_.size())};
  }
  [[nodiscard]] constexpr backend_view view() const {
    return {{name_.data(), name_.size()}, configs()};
  }

 private:
  /// The lists that a record points to. Moving a list does not move its items.
  struct owned_lists {
    list<pattern_element> elements;
    list<dtype_config_record> dtype_configs;
    list<node_path> extra_inputs;
    list<observer_record> observer;
    list<observer_record> fake_quantize;

    template <class T>
    static constexpr void take(list<T>& mine, ctq::view<T>& items) {
      mine = list<T>{items.items, static_cast<std::size_t>(items.count)};
      items.items = mine.data();
    }

    constexpr void own(backend_pattern_config_record& r) {
      take(elements, r.pattern.element);
      take(dtype_configs, r.dtype_configs);
      take(extra_inputs, r.extra_inputs_getter);
      take(observer, r.overwrite_output_observer);
      take(fake_quantize, r.overwrite_output_fake_quantize);
    }
  };

  list<char> name_;
  list<backend_pattern_config_record> configs_;
  list<owned_lists> lists_;  // by config
};

}  // namespace ctq
