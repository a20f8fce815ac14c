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
#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ctq/core/text.hpp"
#include "ctq/spec/backend_pattern_config.hpp"
#include "ctq/spec/dtype_config.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/qconfig.hpp"

// Reflection of the spec's records. Field names are PyTorch's keyword arguments, so a record prints
// as the Python call that constructs it, without default values:
//   HistogramObserver(dtype=quint8, reduce_range=True)

BOOST_HANA_ADAPT_STRUCT(ctq::observer_args, dtype, qscheme, reduce_range, quant_min, quant_max, eps,
                        averaging_constant, ch_axis, bins, upsample_rate, is_dynamic, scale,
                        zero_point, use_grad_scaling);
BOOST_HANA_ADAPT_STRUCT(ctq::dtype_with_constraints_record, dtype, quant_min_lower_bound,
                        quant_max_upper_bound, scale_min_lower_bound, scale_max_upper_bound,
                        scale_exact_match, zero_point_exact_match);
BOOST_HANA_ADAPT_STRUCT(ctq::input_index_record, input, weight, bias);
BOOST_HANA_ADAPT_STRUCT(ctq::dtype_config_record, input_dtype, output_dtype, weight_dtype,
                        bias_dtype, is_dynamic);

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
constexpr void for_each_index(F f, std::index_sequence<I...>) {
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

namespace reflecting {

template <class Text, class T>
constexpr void append_value(Text& out, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    out.append(value ? "True" : "False");
  } else if constexpr (std::integral<T>) {
    append_number(out, value);
  } else if constexpr (std::floating_point<T>) {
    append_decimal(out, static_cast<double>(value));
  } else if constexpr (requires { name_of(value); }) {
    out.append(name_of(value));
  } else if constexpr (requires { value.given; }) {
    if (!value.given) return out.append("None"), void();
    append_value(out, value.value);
  } else {
    bool first = true;
    out.append("(");
    for_each_change(value, [&](std::string_view name, const auto& v) {
      append_all(out, first ? "" : ", ", name, "=");
      append_value(out, v);
      first = false;
    });
    out.append(")");
  }
}

}  // namespace reflecting

/// Appends "(input_dtype=(dtype=quint8), is_dynamic=True)": the fields that differ from their
/// defaults.
template <class Text, reflected Record>
constexpr void append_record(Text& out, const Record& record) {
  reflecting::append_value(out, record);
}

/// Appends "HistogramObserver(reduce_range=True)".
template <class Text>
constexpr void append_observer(Text& out, const observer_record& o) {
  out.append(name_of(o.type));
  append_record(out, o.args);
}

}  // namespace ctq
