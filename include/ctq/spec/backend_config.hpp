// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <boost/mp11/list.hpp>
#include <boost/mp11/utility.hpp>
#include <concepts>
#include <cstddef>
#include <string_view>

#include "ctq/core/containers/view.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/core/fixed_string.hpp"
#include "ctq/spec/backend_pattern_config.hpp"

// A backend: a name and the configs of its patterns. Users derive a short tag from it,
//   struct npu : backend_config<"npu", backend_pattern_config<...>, ...> {};
// override some patterns of another backend,
//   struct mine : x86::set<"mine", backend_pattern_config<pattern<nn::linear>, ...>> {};
// or combine lists of configs, as PyTorch's backends do:
//   struct edge : backend_config<"edge", conv_configs<int8>, linear_configs<int8>> {};

namespace ctq {

/// A backend as plain records, from types or from a file, as the passes read it. Non-owning.
struct backend_view {
  std::string_view name{};
  view<backend_pattern_config_record> configs{};

  friend constexpr bool operator==(const backend_view&, const backend_view&) = default;
};

/// A list of configs, as an argument of backend_config.
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

template <class A, class B>
inline constexpr bool have_one_pattern =
    std::same_as<typename A::pattern_type, typename B::pattern_type>;

/// A list in which each of New replaces the config for the same pattern, or is appended. (Without
/// MP11's algorithms: 3 MB less for all who include backends.)
template <class List, class... New>
struct replaced {
  using type = List;
};
template <class... Config, class First, class... More>
struct replaced<mp::mp_list<Config...>, First, More...> {
  using in_place = mp::mp_list<mp::mp_if_c<have_one_pattern<Config, First>, First, Config>...>;
  using list = mp::mp_if_c<(have_one_pattern<Config, First> || ...), in_place,
                           mp::mp_list<Config..., First>>;
  using type = typename replaced<list, More...>::type;
};
template <class List, class New>
struct replaced_by_all;
template <class List, class... New>
struct replaced_by_all<List, mp::mp_list<New...>> : replaced<List, New...> {};

template <class Backend, fixed_string NewName, class... Other>
struct with_configs;

}  // namespace backend_parts

/// A name, and configs or lists of configs.
template <fixed_string Name, class... Config>
struct backend_config {
  using config_list = configs<Config...>;
  static constexpr std::string_view name = Name.view();

  /// The same with another name and other configs, each of which replaces the one for the same
  /// pattern or is appended (PyTorch's set_backend_pattern_config).
  template <fixed_string NewName, class... Other>
  using set = typename backend_parts::with_configs<backend_config, NewName, Other...>::type;
};

namespace backend_parts {

// Not in backend_config, since few backends are changed and flat lists take long to compile.
template <fixed_string Name, class... Config, fixed_string NewName, class... Other>
struct with_configs<backend_config<Name, Config...>, NewName, Other...> {
  using type =
      backend_config<NewName, typename replaced_by_all<flat_t<Config...>, flat_t<Other...>>::type>;
};

/// The number of configs in a list of configs and lists.
template <class Config>
inline constexpr std::size_t count_of = 1;
template <class... Config>
inline constexpr std::size_t count_of<mp::mp_list<Config...>> = (0 + ... + count_of<Config>);

template <class Config>
inline constexpr bool is_list = false;
template <class... Config>
inline constexpr bool is_list<mp::mp_list<Config...>> = true;

/// A list of configs as it is, or one config as a list.
template <class Config>
using as_list = mp::mp_if_c<is_list<Config>, Config, mp::mp_list<Config>>;

template <class Part>
concept is_part = requires(backend_pattern_config_record& r) {
  Part::apply(r);
};

/// Whether the arguments of a config are of the right kinds. A function, for derived configs.
template <class Pattern, class... Part>
constexpr bool has_parts(const backend_pattern_config<Pattern, Part...>*) {
  return pattern_parts::names_ops<Pattern> && (is_part<Part> && ...);
}
constexpr bool has_parts(const void*) { return false; }

template <class Config, class F>
constexpr bool find_config(const Config* config, F is_wanted, int& index) {
  return is_wanted(config) || (++index, false);
}
template <class... Config, class F>
constexpr bool find_config(const mp::mp_list<Config...>*, [[maybe_unused]] F is_wanted,
                           int& index) {
  return (find_config(static_cast<const Config*>(nullptr), is_wanted, index) || ...);
}
/// The index of the first config of a backend for which is_wanted is true, called with a null
/// pointer to it; -1: there is none.
///   List  of configs and of such lists
template <class List, class F>
constexpr int first_config(F is_wanted) {
  int index = 0;
  return find_config(static_cast<const List*>(nullptr), is_wanted, index) ? index : -1;
}

/// The index of the first element of the list that is not a config, or has an argument that cannot
/// be a part of a config; -1: there is none.
template <class List>
constexpr int first_malformed_config() {
  return first_config<List>([](const auto* config) { return !has_parts(config); });
}

template <class Backend>
concept has_records = requires {
  requires std::same_as<decltype(Backend::records), const view<backend_pattern_config_record>>;
  std::string_view{Backend::name};
};

/// Satisfied by types derived from backend_config, and by backends read from a file.
template <class Backend>
concept is_backend = has_records<Backend> || requires {
  typename Backend::config_list;
  std::string_view{Backend::name};
};

/// Satisfied by backends all of whose configs are well-formed: a backend_pattern_config whose
/// arguments can be its parts.
template <class Backend>
concept has_configs = is_backend<Backend> &&(has_records<Backend> || requires {
  requires Backend::is_well_formed;
} || first_malformed_config<typename Backend::config_list>() < 0);

/// What keeps a type from being a backend.
template <class Backend>
constexpr diagnostic misfit() {
  diagnostic d;
  if constexpr (!is_backend<Backend>) {
    d.line("not a backend, but given as one: it").line("is a type derived from");
    d.line("ctq::backend_config<...>, and comes").line("after the model");
  } else {
    d.line("backend: ", Backend::name);
    d.line("config: #", first_malformed_config<typename Backend::config_list>());
    d.line("not a backend_pattern_config<").line("pattern<op, ...>, part, ...> with parts");
    d.line("such as dtype_configs<...>");
  }
  return d;
}

/// Writes the records of a list to `to`, which afterwards is the place after them.
template <class... Config>
constexpr void write_records(mp::mp_list<Config...>*, backend_pattern_config_record*& to) {
  if constexpr ((is_list<Config> || ...)) {
    (write_records(static_cast<as_list<Config>*>(nullptr), to), ...);
  } else {
    (Config::write(*to++), ...);
  }
}

template <class List>
constexpr auto make_records() {
  std::array<backend_pattern_config_record, count_of<List>> all{};
  backend_pattern_config_record* to = all.data();
  write_records(static_cast<List*>(nullptr), to);
  return all;
}

/// A template of the short tag, so that no symbol contains the whole spec.
template <class Backend>
inline constexpr auto records_of = make_records<typename Backend::config_list>();

template <class Backend>
constexpr backend_view view_of() {
  if constexpr (!has_configs<Backend>) {
    return {};
  } else if constexpr (has_records<Backend>) {
    return {Backend::name, Backend::records};
  } else {
    return {Backend::name,
            {records_of<Backend>.data(), static_cast<int>(records_of<Backend>.size())}};
  }
}

}  // namespace backend_parts

/// The records of a backend defined by types or read from a file; none of another type.
template <class Backend>
inline constexpr backend_view backend_v = backend_parts::view_of<Backend>();

}  // namespace ctq
