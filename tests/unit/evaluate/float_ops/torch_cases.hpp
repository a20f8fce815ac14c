// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ctq/evaluate/float_ops/arguments.hpp"

// Calls of PyTorch's ops and what they gave, as make_torch_cases.py wrote them.

namespace torch_cases {

using namespace ctq::float_ops;

struct torch_case {
  std::string text;      // of the call
  std::string op;        // its name
  python_call call;      // a module's constructor arguments and tensors are attributes
  std::string expected;  // [shape] numbers, for each tensor; numbers
};

/// Reads the Python of the calls.
class parser {
 public:
  explicit parser(std::string_view text) : rest_(text) {}

  torch_case read() {
    torch_case c;
    const std::size_t end = rest_.find('\n');
    c.text = rest_.substr(0, end);
    c.op = rest_.substr(0, rest_.find('('));
    if (c.op.starts_with("method.")) c.op.erase(0, 7);
    rest_.remove_prefix(rest_.find('('));
    read_arguments(c.call.positional, c.call.keywords);
    if (take('(')) {  // a module: these were the arguments of its constructor
      c.call.attributes = std::move(c.call.keywords);
      c.call.positional.clear();
      c.call.keywords.clear();
      read_rest(c.call.positional, c.call.keywords);
    }
    take('\n');
    if (rest_.starts_with("with ")) {
      rest_.remove_prefix(5);
      std::vector<value> none_of_these;
      read_items(none_of_these, c.call.attributes, '\n');
    }
    c.expected = rest_.substr(2);
    return c;
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void read_arguments(std::vector<value>& positional, std::vector<named_value>& keywords) {
    take('(');
    read_rest(positional, keywords);
  }
  void read_rest(std::vector<value>& positional, std::vector<named_value>& keywords) {
    read_items(positional, keywords, ')');
  }

  void read_items(std::vector<value>& positional, std::vector<named_value>& keywords, char end) {
    while (!take(end)) {
      const std::size_t stop = rest_.find_first_of("=,()[]'\n ");
      if (stop != std::string_view::npos && rest_[stop] == '=') {
        const std::string name(rest_.substr(0, stop));
        rest_.remove_prefix(stop + 1);
        keywords.push_back({name, read_value()});
      } else {
        positional.push_back(read_value());
      }
      take(',');
      take(' ');
    }
  }

  value read_value() {
    std::vector<value> items;
    std::vector<named_value> none_of_these;
    if (take('(')) {
      read_items(items, none_of_these, ')');
      return items;
    }
    if (take('[')) {
      read_items(items, none_of_these, ']');
      return items;
    }
    if (rest_.starts_with("...")) {
      rest_.remove_prefix(3);
      return ellipsis{};
    }
    const std::size_t end =
        rest_.starts_with("'") ? rest_.find('\'', 1) + 1 : rest_.find_first_of(",()]\n ");
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(word.size());
    if (!take('(')) return literal(word);
    read_items(items, none_of_these, ')');
    return made(word, items);
  }

  static int integer(const value& v) { return static_cast<int>(as_integer(v).value_or(0)); }

  static value made(std::string_view maker, const std::vector<value>& given) {
    if (maker == "slice") {
      const auto bound = [&](std::size_t at) { return as_integer(given[at]); };
      return slice{bound(0), bound(1), bound(2)};
    }
    if (maker == "starts") {
      index_tensor t{{static_cast<int>(given.size())}, {}};
      for (const value& v : given) t.data.push_back(integer(v));
      return t;
    }
    // t(seed, …), p(seed, …), m(seed, times, …), i(limit, seed, …), mask(…)
    const std::size_t before = maker == "mask" ? 0 : maker == "m" || maker == "i" ? 2 : 1;
    extents shape;
    for (std::size_t a = before; a < given.size(); ++a) shape.push_back(integer(given[a]));
    if (maker == "mask") return integers(2, 1, shape);
    if (maker == "i") return integers(integer(given[0]), integer(given[1]), shape);
    const float times = maker == "m" ? static_cast<float>(integer(given[1])) : 1.0F;
    tensor t = filled(shape);
    for (std::size_t i = 0; i < t.data.size(); ++i) {
      const float step = static_cast<float>(pattern(i, integer(given[0])) % 2003 - 1001);
      t.data[i] = step * times / 500.0F;
      if (maker == "p") t.data[i] = std::abs(t.data[i]) + 0.5F;
    }
    return t;
  }

  static std::int64_t pattern(std::size_t i, int seed) {
    return static_cast<std::int64_t>(i) * 7919 + std::int64_t{seed} * 104729;
  }

  static value integers(int limit, int seed, const extents& shape) {
    index_tensor t = filled<std::int64_t>(shape);
    for (std::size_t i = 0; i < t.data.size(); ++i) t.data[i] = pattern(i, seed) % limit;
    return t;
  }

  std::string_view rest_;
};

/// One tensor or number after the other, as make_torch_cases.py writes them.
struct flat {
  std::vector<extents> shapes;
  std::vector<double> numbers;
};

inline void flatten(flat& out, const value& v) {
  if (const auto* t = v.get_if<tensor>()) {
    out.shapes.push_back(t->shape);
    out.numbers.insert(out.numbers.end(), t->data.begin(), t->data.end());
  } else if (const auto* indices = v.get_if<index_tensor>()) {
    out.shapes.push_back(indices->shape);
    for (const auto i : indices->data) out.numbers.push_back(static_cast<double>(i));
  } else if (const auto* items = v.get_if<list>()) {
    for (const value& item : *items) flatten(out, item);
  } else {
    out.numbers.push_back(as_real(v).value_or(NAN));
  }
}

inline flat expected(const std::string& text) {
  flat out;
  const char* at = text.c_str();
  while (*at != '\0') {
    char* end{};
    if (*at == '[') {
      out.shapes.emplace_back();
      for (++at; *at != ']'; at = end + (*end == ',' ? 1 : 0))
        out.shapes.back().push_back(static_cast<int>(std::strtol(at, &end, 10)));
      end = const_cast<char*>(at) + 1;
    } else {
      out.numbers.push_back(std::strtod(at, &end));
    }
    at = end + (*end == ' ' ? 1 : 0);
  }
  return out;
}

}  // namespace torch_cases
