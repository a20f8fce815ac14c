// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/at.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/size.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>
#include <string_view>
#include <type_traits>
#include <utility>

// Reflection of records whose fields are declared by BOOST_HANA_ADAPT_STRUCT(record, field, …).

namespace ctq {

/// Satisfied by records with reflected fields.
template <class T>
concept reflected = boost::hana::Struct<T>::value;

namespace reflecting {

/// The characters of a name. Hana's copy has internal linkage, so pointers to it would differ
/// between translation units (g++ 12 then fails to link).
template <class Name>
struct characters;
template <char... C>
struct characters<boost::hana::string<C...>> {
  static constexpr char value[]{C...};
  static constexpr std::string_view view() { return {value, sizeof...(C)}; }
};

}  // namespace reflecting

/// The names of the fields, in the order of declaration.
template <reflected Record>
inline constexpr auto field_names = [] {
  std::array<std::string_view, decltype(boost::hana::size(boost::hana::accessors<Record>()))::value>
      names{};
  std::size_t at = 0;
  boost::hana::for_each(boost::hana::accessors<Record>(), [&](auto field) {
    names[at++] =
        reflecting::characters<std::remove_cvref_t<decltype(boost::hana::first(field))>>::view();
  });
  return names;
}();

/// The accessor of a field, by its index in field_names. A variable, so that the compiler does not
/// build the list of all fields each time.
template <reflected Record, std::size_t Index>
inline constexpr auto field_of =
    boost::hana::second(boost::hana::at_c<Index>(boost::hana::accessors<Record>()));

namespace reflecting {

template <class Record, class F, std::size_t... I>
constexpr void for_each_index([[maybe_unused]] F f, std::index_sequence<I...>) {
  (f(field_names<Record>[I], field_of<Record, I>), ...);
}

/// Calls f(name, accessor) for each field.
template <class Record, class F>
constexpr void for_each_getter(F f) {
  for_each_index<Record>(f, std::make_index_sequence<field_names<Record>.size()>{});
}

}  // namespace reflecting

/// Calls f(name, value) for each field, in the order of declaration.
template <class Record, class F>
requires reflected<std::remove_cv_t<Record>>
constexpr void for_each_field(Record& record, F f) {
  reflecting::for_each_getter<std::remove_cv_t<Record>>(
      [&](std::string_view name, const auto& get) { f(name, get(record)); });
}

/// Calls f(name, value) for each field of a that differs from that of b.
template <reflected Record, class F>
constexpr void for_each_difference(const Record& a, const Record& b, F f) {
  reflecting::for_each_getter<Record>([&](std::string_view name, const auto& get) {
    if (get(a) != get(b)) f(name, get(a));
  });
}

/// Calls f(name, value) for each field that differs from its default.
template <reflected Record, class F>
constexpr void for_each_change(const Record& record, F f) {
  for_each_difference(record, Record{}, f);
}

}  // namespace ctq
