// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/json/number.hpp"
#include "ctq/json/string.hpp"

// Writes JSON to any text that has append(std::string_view), on one line and spaced as Python's
// json.dumps does.

namespace ctq::json {

/// What the body of an object or array is written in is what it looks like:
///
///   writer json{out};
///   json.object([&] {
///     json.member("pattern", "torch.nn.Conv2d");
///     json.key("dtype_configs").array([&] {
///       for (const auto& c : configs) json.object([&] { json.member("is_dynamic", c.dynamic); });
///     });
///   });
///
/// It puts commas and colons, and does not ask whether keys stand where they should.
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

  /// The next value belongs to it.
  constexpr writer& key(std::string_view name) {
    value(name);
    out_.append(": ");
    comma_ = false;
    return *this;
  }

  /// A bool, a whole number, a finite double, or a text, which is escaped where it must be.
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

  /// A text of two parts in which nothing needs an escape, as the names of ops, or has it already,
  /// as element::text(): cheap to compile.
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

  /// What is JSON already.
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
  bool comma_ = false;  // something stands before the next value
};

}  // namespace ctq::json
