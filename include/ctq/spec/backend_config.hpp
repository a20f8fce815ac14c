// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <boost/mp11/utility.hpp>
#include <cstddef>
#include <string_view>

#include "ctq/core/fixed_string.hpp"
#include "ctq/core/static_vector.hpp"
#include "ctq/core/sum.hpp"
#include "ctq/spec/backend_pattern_config.hpp"

// A backend: a name and what it does with each pattern. Users derive a short tag from it,
//   struct npu : backend_config<"npu", backend_pattern_config<...>, ...> {};
// or override some patterns of another one,
//   struct mine : x86::set<"mine", backend_pattern_config<pattern<nn::linear>, ...>> {};

namespace ctq {

/// A backend as plain records: what the passes read, whether types or a file described it.
struct backend_view {
  std::string_view name;
  const backend_pattern_config_record* configs{};
  int count{};
  const dtype_config_record* dtype_configs{};
};

namespace backend_parts {

namespace mp = boost::mp11;

template <class Config>
using pattern_of = typename Config::pattern_type;

template <class List, class Config>
struct set {
  using patterns = mp::mp_transform<pattern_of, List>;
  using at = mp::mp_find<patterns, pattern_of<Config>>;
  template <class L, class I>
  using replace = mp::mp_replace_at<L, I, Config>;
  using type = mp::mp_eval_if_c<at::value == mp::mp_size<List>::value,
                                mp::mp_push_back<List, Config>, replace, List, at>;
};

/// List with Config in the place of the entry for the same pattern, or at the end.
template <class List, class Config>
using set_t = typename set<List, Config>::type;

template <std::size_t Configs, std::size_t DtypeConfigs>
struct records {
  std::array<backend_pattern_config_record, Configs> configs{};
  std::array<dtype_config_record, DtypeConfigs + 1> dtype_configs{};
};

}  // namespace backend_parts

/// Of two configs for one pattern the later wins, in the place of the first (as PyTorch's set).
template <fixed_string Name, class... Config>
struct backend_config {
  using configs = boost::mp11::mp_fold<boost::mp11::mp_list<Config...>, boost::mp11::mp_list<>,
                                       backend_parts::set_t>;
  static constexpr std::string_view name = Name.view();

  template <fixed_string NewName, class... Other>
  using set = backend_config<NewName, Config..., Other...>;
};

namespace backend_parts {

template <class... Config>
consteval auto make_records(boost::mp11::mp_list<Config...>) {
  constexpr std::size_t total = sum({Config::dtype_configs_type::count...});
  static_vector<dtype_config_record, total> dtypes;
  records<sizeof...(Config), total> r{.configs = {Config::value...}, .dtype_configs = {}};
  using in_order = int[];  // a fold would stop at 256 configs on clang
  (void)in_order{0, (Config::dtype_configs_type::append(dtypes), 0)...};
  for (std::size_t i = 0; i < dtypes.size(); ++i) r.dtype_configs[i] = dtypes[i];
  int first = 0;
  for (backend_pattern_config_record& c : r.configs) {
    c.first_dtype_config = first;
    first += c.dtype_config_count;
  }
  return r;
}

/// Keyed by the short tag, so that no symbol carries the whole spec.
template <class Backend>
inline constexpr auto records_of = make_records(typename Backend::configs{});

}  // namespace backend_parts

template <class Backend>
inline constexpr backend_view backend_v{
    Backend::name, backend_parts::records_of<Backend>.configs.data(),
    static_cast<int>(backend_parts::records_of<Backend>.configs.size()),
    backend_parts::records_of<Backend>.dtype_configs.data()};

}  // namespace ctq
