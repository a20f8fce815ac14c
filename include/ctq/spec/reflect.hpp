// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/core/to.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>
#include <concepts>
#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/spec/dtype_config.hpp"
#include "ctq/spec/observer.hpp"
#include "ctq/spec/qconfig.hpp"

// The fields of the spec's records, by name. The names are PyTorch's keyword arguments, so a
// record prints as the Python call that makes it, with what differs from the defaults:
//   HistogramObserver(dtype=quint8, reduce_range=True)

BOOST_HANA_ADAPT_STRUCT(ctq::observer_args, dtype, qscheme, reduce_range, quant_min, quant_max, eps,
                        averaging_constant, ch_axis, bins, upsample_rate, is_dynamic);
BOOST_HANA_ADAPT_STRUCT(ctq::dtype_with_constraints_record, dtype, quant_min_lower_bound,
                        quant_max_upper_bound, scale_min_lower_bound, scale_max_upper_bound);
BOOST_HANA_ADAPT_STRUCT(ctq::dtype_config_record, input_dtype, output_dtype, weight_dtype,
                        bias_dtype, is_dynamic);

namespace ctq {

/// A record whose fields are known by name.
template <class T>
concept reflected = boost::hana::Struct<T>::value;

/// Calls f(name, value) for each field, in the order of declaration.
template <reflected Record, class F>
constexpr void for_each_field(const Record& record, F f) {
  boost::hana::for_each(boost::hana::accessors<Record>(), [&](const auto& field) {
    f(std::string_view{boost::hana::to<const char*>(boost::hana::first(field))},
      boost::hana::second(field)(record));
  });
}

/// Calls f(name, value) for each field that differs from a record made with {}.
template <reflected Record, class F>
constexpr void for_each_change(const Record& record, F f) {
  const Record defaults{};
  boost::hana::for_each(boost::hana::accessors<Record>(), [&](const auto& field) {
    const auto& value = boost::hana::second(field)(record);
    if (value != boost::hana::second(field)(defaults))
      f(std::string_view{boost::hana::to<const char*>(boost::hana::first(field))}, value);
  });
}

namespace reflecting {

/// Six significant digits, shortest form: 0.01, 2.44141e-04.
template <class Text>
constexpr void append_real(Text& out, double x) {
  if (x < 0) out.append("-");
  if (x < 0) x = -x;
  if (!(x > 0 && x < 1e300)) return out.append(x == 0 ? "0" : "inf"), void();
  int exponent = 0;
  for (; x >= 10; x /= 10) ++exponent;
  for (; x < 1; x *= 10) --exponent;
  auto digits = static_cast<long>(x * 100000 + 0.5);
  if (digits >= 1000000) digits /= 10, ++exponent;
  const bool scientific = exponent < -4 || exponent > 5;
  int places = 5 - (scientific ? 0 : exponent);
  for (; digits % 10 == 0 && places > 0; digits /= 10) --places;
  long power = 1;
  for (int i = 0; i < places; ++i) power *= 10;
  append_number(out, digits / power);
  if (places > 0) {
    out.append(".");
    for (long p = power / 10; p > 0; p /= 10) append_number(out, digits / p % 10);
  }
  if (!scientific) return;
  append_all(out, exponent < 0 ? "e-" : "e+", exponent > -10 && exponent < 10 ? "0" : "",
             exponent < 0 ? -exponent : exponent);
}

template <class Text, class T>
constexpr void append_value(Text& out, const T& value) {
  if constexpr (std::same_as<T, bool>) {
    out.append(value ? "True" : "False");
  } else if constexpr (std::integral<T>) {
    append_number(out, value);
  } else if constexpr (std::floating_point<T>) {
    append_real(out, value);
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

/// Appends "(input_dtype=(dtype=quint8), is_dynamic=True)": the fields that are not at their
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
