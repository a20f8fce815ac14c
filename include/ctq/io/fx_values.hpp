// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ctq/core/shape.hpp"
#include "ctq/graph/fx_row.hpp"
#include "ctq/io/message.hpp"
#include "ctq/json/element.hpp"
#include "ctq/json/string.hpp"

// How strings and numbers of a file that tools/export_fx.py wrote are read.

namespace ctq::fx_reading {

/// The value of a string.
[[nodiscard]] inline std::string unescaped(json::element e) {
  std::string text;
  if (e.has_escapes())
    json::append_unescaped(text, e.text());
  else
    text = e.text();
  return text;
}

/// Opens the list that x[None] is written without: it means x[(None,)].
inline constexpr argument one_index{.is = argument::kind::list, .integer = 1};

inline void set_boolean(json::element e, argument& a) {
  a.is = argument::kind::boolean;
  a.integer = e.boolean() ? 1 : 0;
}

/// Python's integers have neither point nor exponent; one that does not fit becomes a float. A
/// float that does not fit becomes the largest one, since files write infinity as a word.
inline void set_number(json::element e, argument& a) {
  const std::string_view digits = e.text();
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), a.integer);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  a.is = whole ? argument::kind::integer : argument::kind::real;
  if (!whole) a.integer = 0;
  constexpr double most = std::numeric_limits<double>::max();
  a.real = std::clamp(e.number(), -most, most);
}

/// Reads "inf" or "-inf", for which JSON has no numbers; false if it is neither.
[[nodiscard]] inline bool set_infinity(json::element e, argument& a) {
  if (e.type() != json::kind::string || (e.text() != "inf" && e.text() != "-inf")) return false;
  a.is = argument::kind::real;
  a.real = std::numeric_limits<double>::infinity();
  if (e.text() == "-inf") a.real = -a.real;
  return true;
}

/// Appends what a text means among indices: "..." or "slice(1, None, 2)"; false if it is neither.
[[nodiscard]] inline bool append_index(argument text, std::vector<argument>& out) {
  std::string_view rest = text.text;
  constexpr std::string_view begin = "slice(";
  if (rest == "...") {
    text.is = argument::kind::ellipsis;
    out.push_back(text);
    return true;
  }
  if (!rest.starts_with(begin) || !rest.ends_with(")")) return false;
  rest = rest.substr(begin.size(), rest.size() - begin.size() - 1);
  argument bounds[3];
  for (argument& bound : bounds) {
    const std::size_t comma = rest.find(", ");
    const std::string_view word = rest.substr(0, comma);
    bound.is = word == "None" ? argument::kind::none : argument::kind::integer;
    const char* const end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, bound.integer);
    if (word != "None" && (read.ec != std::errc{} || read.ptr != end)) return false;
    if ((comma == rest.npos) != (&bound == &bounds[2])) return false;
    rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 2);
  }
  text.is = argument::kind::slice;
  text.integer = 3;
  out.push_back(text);
  out.insert(out.end(), std::begin(bounds), std::end(bounds));
  return true;
}

/// Reads the shape of an input or of an attribute; none if its rank is not supported. Returns what
/// is wrong, at `where`, or an empty string.
[[nodiscard]] inline std::string read_shape(json::element list, std::optional<shape>& out,
                                            json::element& where) {
  if (!list || list.type() == json::kind::null) return {};
  where = list;
  if (list.type() != json::kind::array) return "shape is not a list";
  if (list.size() <= max_rank) out.emplace();
  for (const json::element e : list.elements()) {
    argument extent;
    if (e.type() == json::kind::number) set_number(e, extent);
    where = e;
    if (extent.is != argument::kind::integer || extent.integer < 1 ||
        extent.integer > std::numeric_limits<int>::max())
      return sentence("an extent is ", shown(e.text()),
                      ", not a whole number from 1 to 2147483647");
    if (out) out->extent[out->rank++] = static_cast<int>(extent.integer);
  }
  return {};
}

}  // namespace ctq::fx_reading
