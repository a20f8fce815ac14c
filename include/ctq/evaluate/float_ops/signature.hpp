// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>

#include "ctq/evaluate/float_ops/value.hpp"

// The parameters of an op in Python's notation:
//   "input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1"
// Parameters after "*" are keyword-only; for a module they are its attributes: tensors by their
// names in state_dict, and constructor arguments. "*dims" takes all remaining positional arguments.

namespace ctq::float_ops {

struct parameter {
  std::string_view name{};
  std::string_view default_text{};  // the default in Python's notation; empty if there is none
  bool keyword_only{};
  bool takes_rest{};  // *dims
};

/// Iterates over the parameters: while (parameters.next()) use(parameters.current()).
class parameter_reader {
 public:
  explicit constexpr parameter_reader(std::string_view signature) : rest_(signature) {}

  [[nodiscard]] constexpr const parameter& current() const { return current_; }

  constexpr bool next() {
    std::string_view text = take();
    if (text == "*") {
      current_.keyword_only = true;
      text = take();
    }
    const std::size_t equals = text.find('=');
    current_.name = text.substr(0, equals);
    current_.default_text =
        equals == std::string_view::npos ? std::string_view{} : text.substr(equals + 1);
    current_.takes_rest = !text.empty() && text[0] == '*';
    if (current_.takes_rest) current_.name.remove_prefix(1);
    return !text.empty();
  }

 private:
  constexpr std::string_view take() {
    const std::size_t comma = rest_.find(", ");
    const std::string_view text = rest_.substr(0, comma);
    rest_ = comma == std::string_view::npos ? std::string_view{} : rest_.substr(comma + 2);
    return text;
  }

  std::string_view rest_;
  parameter current_{};
};

/// The parameter of that name; its name is empty if there is none.
[[nodiscard]] constexpr parameter find_parameter(std::string_view signature,
                                                 std::string_view name) {
  for (parameter_reader p(signature); p.next();)
    if (p.current().name == name) return p.current();
  return {};
}

/// A default as a value: None, True, False, a number, 'text', ().
[[nodiscard]] inline value literal(std::string_view text) {
  if (text == "None") return {};
  if (text == "True") return true;
  if (text == "False") return false;
  if (text == "()") return list{};
  if (text.front() == '\'') return text.substr(1, text.size() - 2);
  const char* const end = text.data() + text.size();
  std::int64_t integer{};
  if (std::from_chars(text.data(), end, integer).ptr == end) return integer;
  double real{};
  std::from_chars(text.data(), end, real);
  return real;
}

}  // namespace ctq::float_ops
