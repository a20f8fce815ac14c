// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/json/number.hpp"
#include "ctq/json/string.hpp"

// Writes JSON to any type with append(std::string_view), on one line, with the spacing of Python's
// json.dumps.

namespace ctq::json {

/// The body of an object or array is a function:
///
///   writer json{out};
///   json.object([&] {
///     json.member("pattern", "torch.nn.Conv2d");
///     json.key("dtype_configs").array([&] {
///       for (const auto& c : configs) json.object([&] { json.member("is_dynamic", c.dynamic); });
///     });
///   });
///
/// Adds commas and colons. Does not check that keys are used correctly.
template <class Text>
class writer {
 public:
  constexpr explicit writer(Text& out) : out_(out) {}

  template <class Body>
  constexpr writer& object(Body body) {
    return brackets("{", body, "}");
  }
  template <class Body>
  constexpr writer& array(Body body) {
    return brackets("[", body, "]");
  }

  /// The key of the next value.
  constexpr writer& key(std::string_view name) {
    value(name);
    out_.append(": ");
    comma_ = false;
    return *this;
  }

  /// A bool, an integer, a finite double, or a string, which is escaped as needed.
  template <class T>
  constexpr writer& value(const T& v) {
    separate();
    if constexpr (std::same_as<T, bool>) {
      out_.append(v ? "true" : "false");
    } else if constexpr (std::integral<T>) {
      append_number(out_, v);
    } else if constexpr (std::floating_point<T>) {
      append_shortest(out_, v);
    } else {
      append_string(out_, std::string_view{v});
    }
    return *this;
  }
  constexpr writer& null() { return verbatim("null"); }

  /// A string of two parts that needs no escaping, such as names of ops, or is already escaped, as
  /// element::text(). Cheap to compile.
  constexpr writer& plain(std::string_view prefix, std::string_view text) {
    separate();
    out_.append("\"");
    if (!prefix.empty()) out_.append(prefix);
    out_.append(text);
    out_.append("\"");
    return *this;
  }
  constexpr writer& plain_key(std::string_view name) {
    plain({}, name);
    out_.append(": ");
    comma_ = false;
    return *this;
  }

  /// Appends JSON unchanged.
  constexpr writer& verbatim(std::string_view json) {
    separate();
    out_.append(json);
    return *this;
  }

  template <class T>
  constexpr writer& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }

 private:
  template <class Body>
  constexpr writer& brackets(std::string_view open, Body& body, std::string_view close) {
    separate();
    out_.append(open);
    comma_ = false;
    body();
    out_.append(close);
    comma_ = true;
    return *this;
  }

  constexpr void separate() {
    if (comma_) out_.append(", ");
    comma_ = true;
  }

  Text& out_;
  bool comma_ = false;  // a comma is needed before the next value
};

}  // namespace ctq::json
