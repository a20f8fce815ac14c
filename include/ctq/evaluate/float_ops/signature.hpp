// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>

#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/ops/reflect.hpp"

// The parameters of an op in Python's notation:
//
//   "input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1"
//
// Parameters after "*" are keyword-only. "*dims" takes all remaining positional arguments. "..."
// stands for the op's options, with their defaults.

namespace ctq::float_ops {

struct python_signature {
  std::string_view parameters{};
  const option_fields* options{};  // for "..."
  /// Of a module: what it is called with. All other parameters are its attributes: tensors by their
  /// names in state_dict, and constructor arguments. Empty for a function.
  std::string_view inputs{};
};

struct parameter {
  std::string_view name{};
  std::string_view default_text{};  // the default in Python's notation; empty if there is none
  const option_field* option{};     // of the options
  bool keyword_only{};
  bool takes_rest{};  // *dims
};

/// Iterates over the parameters: while (parameters.next()) use(parameters.current()).
class parameter_reader {
 public:
  explicit constexpr parameter_reader(const python_signature& s)
      : rest_(s.parameters), options_(s.options) {}

  [[nodiscard]] constexpr const parameter& current() const { return current_; }

  constexpr bool next() {
    if (option_ < option_count_) {
      const option_field& f = options_->fields[option_++];
      current_ = {.name = f.name, .option = &f, .keyword_only = current_.keyword_only};
      return true;
    }
    std::string_view text = take();
    if (text == "*") {
      current_.keyword_only = true;
      text = take();
    }
    if (text == "...") {
      option_count_ = options_ == nullptr ? 0 : options_->fields.size();
      return next();
    }
    const std::size_t equals = text.find('=');
    const bool has_default = equals != std::string_view::npos;
    current_ = {.name = text.substr(0, equals),
                .default_text = has_default ? text.substr(equals + 1) : std::string_view{},
                .keyword_only = current_.keyword_only,
                .takes_rest = !text.empty() && text[0] == '*'};
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
  const option_fields* options_;
  int option_ = 0, option_count_ = 0;
  parameter current_{};
};

/// The parameter with this name; its name is empty if there is none.
[[nodiscard]] constexpr parameter find_parameter(const python_signature& s, std::string_view name) {
  for (const python_signature& part : {s, python_signature{s.inputs}})
    for (parameter_reader p(part); p.next();)
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

/// An index of x[…] as a value.
[[nodiscard]] inline value index_value(const index_item& index) {
  switch (index.is()) {
    case index_item::element: return index.start;
    case index_item::new_axis: return {};
    case index_item::ellipsis: return ellipsis{};
    case index_item::range: break;
  }
  return slice{index.start, index.stop, index.step()};
}

/// An option as a value. A kernel size, stride, factor or divisor of 0, and a size without axes,
/// mean that the option is not given: None.
[[nodiscard]] inline value python_value(const attributes& a, const option_field& f) {
  switch (f.is) {
    case option_field::type::integer:
      if (f.name == "divisor_override" && integer_of(a, f) == 0) return {};
      return integer_of(a, f);
    case option_field::type::flag: return integer_of(a, f) != 0;
    case option_field::type::real:
      if (f.name == "scale_factor" && real_of(a, f) == 0.0F) return {};
      return real_of(a, f);
    case option_field::type::word: return std::string(f.words->words[integer_of(a, f)]);
    case option_field::type::extents: {
      const auto extents = list_of<shape>(a, f);
      if (f.name == "size" && extents.rank == 0) return {};
      list all;
      for (int axis = 0; axis < extents.rank; ++axis) all.push_back(extents[axis]);
      return all.size() == 1 ? all[0] : value(all);
    }
    case option_field::type::indices: {
      const auto indices = list_of<index_list>(a, f);
      list all;
      for (int i = 0; i < indices.count; ++i) all.push_back(index_value(indices.item[i]));
      return all.size() == 1 ? all[0] : value(all);
    }
    case option_field::type::extent:
    case option_field::type::extent3: break;
  }
  const int first = integer_of(a, f);
  bool alike = true;
  list each;
  for (int i = 0; i < words_of(f); ++i) {
    each.push_back(integer_of(a, f, i));
    alike = alike && integer_of(a, f, i) == first;
  }
  if (alike && first == 0 && !f.name.ends_with("padding")) return {};
  return alike ? value(first) : value(each);
}

}  // namespace ctq::float_ops
