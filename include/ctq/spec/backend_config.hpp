// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <boost/mp11/utility.hpp>
#include <cstddef>
#include <string_view>

#include "ctq/core/fixed_string.hpp"
#include "ctq/core/view.hpp"
#include "ctq/spec/backend_pattern_config.hpp"

// A backend: a name and what it does with each pattern. Users derive a short tag from it,
//   struct npu : backend_config<"npu", backend_pattern_config<...>, ...> {};
// or override some patterns of another one,
//   struct mine : x86::set<"mine", backend_pattern_config<pattern<nn::linear>, ...>> {};
// or put lists of configs together, as PyTorch's backends do:
//   struct edge : backend_config<"edge", conv_configs<int8>, linear_configs<int8>> {};

namespace ctq {

/// A backend as plain records: what the passes read, whether types or a file described it.
struct backend_view {
  std::string_view name{};
  view<backend_pattern_config_record> configs{};

  friend constexpr bool operator==(const backend_view&, const backend_view&) = default;
};

/// Some configs, to be put together with others.
template <class... Config>
using configs = boost::mp11::mp_list<Config...>;

namespace backend_parts {

namespace mp = boost::mp11;

template <class Config>
struct flat {
  using type = mp::mp_list<Config>;
};
template <class... Config>
struct flat<mp::mp_list<Config...>> {
  using type = mp::mp_append<mp::mp_list<>, typename flat<Config>::type...>;
};

template <class... Config>
using flat_t = typename flat<mp::mp_list<Config...>>::type;

template <class Config>
using pattern_of = typename Config::pattern_type;

/// List with Config in the place of the entry for the same pattern, or at the end.
template <class List, class Config>
struct replaced {
  using at = mp::mp_find<mp::mp_transform<pattern_of, List>, pattern_of<Config>>;
  template <class L, class I>
  using replace = mp::mp_replace_at<L, I, Config>;
  using type = mp::mp_eval_if_c<at::value == mp::mp_size<List>::value,
                                mp::mp_push_back<List, Config>, replace, List, at>;
};

template <class List, class Config>
using replaced_t = typename replaced<List, Config>::type;

}  // namespace backend_parts

/// A name, and configs one by one or in lists.
template <fixed_string Name, class... Config>
struct backend_config {
  using config_list = backend_parts::flat_t<Config...>;
  static constexpr std::string_view name = Name.view();

  /// The same under another name, each of the other configs in the place of the one for the same
  /// pattern, or at the end (PyTorch's set_backend_pattern_config).
  template <fixed_string NewName, class... Other>
  using set = backend_config<NewName, boost::mp11::mp_fold<backend_parts::flat_t<Other...>,
                                                           config_list, backend_parts::replaced_t>>;
};

namespace backend_parts {

template <class... Config>
constexpr auto make_records(mp::mp_list<Config...>) {
  return std::array<backend_pattern_config_record, sizeof...(Config)>{Config::make()...};
}

/// Keyed by the short tag, so that no symbol carries the whole spec.
template <class Backend>
inline constexpr auto records_of = make_records(typename Backend::config_list{});

template <class Backend>
constexpr backend_view view_of() {
  if constexpr (requires { Backend::records; }) {
    return {Backend::name, Backend::records};
  } else {
    return {Backend::name,
            {records_of<Backend>.data(), static_cast<int>(records_of<Backend>.size())}};
  }
}

}  // namespace backend_parts

/// The records of a backend: one put together from types, or one read from a file.
template <class Backend>
inline constexpr backend_view backend_v = backend_parts::view_of<Backend>();

}  // namespace ctq
