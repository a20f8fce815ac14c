// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "size_values.hpp"

#include <cmath>
#include <string_view>
#include <utility>

#include "ctq/ops/builtin_ops.hpp"
#include "import_options.hpp"

namespace tool {

namespace {

using ctq::argument;
using kind = argument::kind;
using numbers = std::vector<std::int64_t>;

std::optional<size_value> number(std::int64_t n) { return size_value{false, {n}}; }

/// An element by its index, which may count from the end.
std::optional<size_value> element(const numbers& of, std::int64_t index) {
  const auto count = static_cast<std::int64_t>(of.size());
  if (index < 0) index += count;
  if (index < 0 || index >= count) return {};
  return number(of[static_cast<std::size_t>(index)]);
}

bool is_integer(const argument& a) { return a.is == kind::integer; }

/// x.size(), x.size(1), x.size(dim=1)
std::optional<size_value> size(const numbers& shape, const std::vector<argument>& args) {
  if (args.size() == 1) return size_value{true, shape};
  if (args.size() == 2 && is_integer(args[1])) return element(shape, args[1].integer);
  return {};
}

/// Of a tuple: t[1], t[1:], t[-2:]
std::optional<size_value> item(const std::vector<argument>& args) {
  const std::size_t count = static_cast<std::size_t>(args[0].integer);
  numbers all;
  for (std::size_t i = 1; i <= count; ++i) {
    if (!is_integer(args[i])) return {};
    all.push_back(args[i].integer);
  }
  if (args.size() == count + 2 && is_integer(args[count + 1]))
    return element(all, args[count + 1].integer);
  if (args.size() != count + 5 || args[count + 1].is != kind::slice) return {};
  std::int64_t bounds[2] = {0, static_cast<std::int64_t>(count)};
  for (std::size_t b = 0; b < 2; ++b) {
    const argument& bound = args[count + 2 + b];
    if (bound.is == kind::none) continue;
    if (!is_integer(bound)) return {};
    bounds[b] = bound.integer + (bound.integer < 0 ? static_cast<std::int64_t>(count) : 0);
    if (bounds[b] < 0) bounds[b] = 0;
    if (bounds[b] > static_cast<std::int64_t>(count)) bounds[b] = static_cast<std::int64_t>(count);
  }
  const argument& step = args[count + 4];
  if (step.is != kind::none && !(is_integer(step) && step.integer == 1)) return {};
  size_value part{true, {}};
  for (std::int64_t i = bounds[0]; i < bounds[1]; ++i)
    part.numbers.push_back(all[static_cast<std::size_t>(i)]);
  return part;
}

/// Of two tuples: a + b
std::optional<size_value> joined(const std::vector<argument>& args) {
  size_value both{true, {}};
  int left = 0;  // elements of the tuple that is being read
  int tuples = 0;
  for (const argument& a : args) {
    if (left == 0) {
      if (a.is != kind::list || ++tuples > 2) return {};
      left = static_cast<int>(a.integer);
    } else {
      if (!is_integer(a)) return {};
      both.numbers.push_back(a.integer);
      --left;
    }
  }
  if (tuples != 2 || left > 0) return {};
  return both;
}

/// As Python: rounded down.
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

std::optional<size_value> arithmetic(ctq::op_id op, std::int64_t a, std::int64_t b) {
  std::int64_t result{};
  bool overflows = false;
  if (is_any_of(op, ctq::op::add))
    overflows = __builtin_add_overflow(a, b, &result);
  else if (is_any_of(op, ctq::op::sub))
    overflows = __builtin_sub_overflow(a, b, &result);
  else if (is_any_of(op, ctq::op::mul))
    overflows = __builtin_mul_overflow(a, b, &result);
  else if (is_any_of(op, ctq::op::floordiv, ctq::fn::floor_divide) && b != 0 && b != -1)
    result = floor_quotient(a, b);
  else if (op->name.ends_with("operator.mod") && b != 0 && b != -1)
    result = a - b * floor_quotient(a, b);
  else
    return {};
  if (overflows) return {};
  return number(result);
}

bool is_integer_or_real(const argument& a) { return is_integer(a) || a.is == kind::real; }
double real_of(const argument& a) {
  return is_integer(a) ? static_cast<double>(a.integer) : a.real;
}

/// Of numbers that are not both integers, or whose result is none: n ** -0.5, n / 2.
std::optional<size_value> real_arithmetic(ctq::op_id op, double a, double b) {
  size_value result{false, {0}, a};
  if (is_any_of(op, ctq::op::add))
    *result.real += b;
  else if (is_any_of(op, ctq::op::sub))
    *result.real -= b;
  else if (is_any_of(op, ctq::op::mul))
    *result.real *= b;
  else if (is_any_of(op, ctq::op::truediv))
    *result.real /= b;
  else if (is_any_of(op, ctq::op::pow))
    result.real = std::pow(a, b);
  else
    return {};
  if (!std::isfinite(*result.real)) return {};
  return result;
}

/// n == 3, as assertions ask.
std::optional<size_value> comparison(std::string_view op, const argument& left,
                                     const argument& right) {
  const double a = real_of(left), b = real_of(right);
  const std::pair<std::string_view, bool> results[] = {
      {"operator.eq", a == b}, {"operator.ne", a != b}, {"operator.lt", a < b},
      {"operator.le", a <= b}, {"operator.gt", a > b},  {"operator.ge", a >= b}};
  for (const auto& [name, holds] : results)
    if (op.ends_with(name)) return size_value{false, {holds ? 1 : 0}, {}, true};
  return {};
}

}  // namespace

std::vector<argument> arguments_of(const size_value& value, std::string_view keyword) {
  std::vector<argument> all;
  if (value.is_tuple)
    all.push_back({.is = kind::list,
                   .keyword = keyword,
                   .integer = static_cast<std::int64_t>(value.numbers.size())});
  if (value.real) return {{.is = kind::real, .keyword = keyword, .real = *value.real}};
  for (const std::int64_t n : value.numbers)
    all.push_back({.is = value.is_flag ? kind::boolean : kind::integer,
                   .keyword = value.is_tuple ? std::string_view{} : keyword,
                   .integer = n});
  return all;
}

std::optional<size_value> size_value_of(ctq::op_id op, const std::vector<argument>& args,
                                        const ctq::shape* shape) {
  if (args.empty()) return {};
  if (shape != nullptr && args[0].is == kind::node) {
    const numbers extents(shape->extent, shape->extent + shape->rank);
    const bool is_attribute = is_any_of(op, ctq::fn::getattr) && args.size() == 2;
    if (is_attribute && args[1].text == "device") return size_value{true, {}};
    if (is_any_of(op, ctq::method::size)) return size(extents, args);
    if (is_attribute && args[1].text == "shape") return size_value{true, extents};
    if ((is_attribute && args[1].text == "ndim") || is_any_of(op, ctq::method::dim))
      return number(shape->rank);
    if (args.size() == 1 && (op->name == "numel" || op->name == "torch.numel"))
      return number(static_cast<std::int64_t>(ctq::numel(*shape)));
    return {};
  }
  if (is_any_of(op, ctq::op::getitem) && args[0].is == kind::list) return item(args);
  if (is_any_of(op, ctq::op::add) && args[0].is == kind::list) return joined(args);
  if (args.size() == 2 && args[0].is == kind::boolean && args[0].integer != 0 &&
      op->name == "torch._assert")
    return size_value{true, {}};
  if (args.size() == 1 && op->name == "math.sqrt" && is_number(args[0]) && real_of(args[0]) >= 0)
    return size_value{false, {0}, std::sqrt(real_of(args[0]))};
  if (args.size() == 1 && is_any_of(op, ctq::op::neg) && is_integer(args[0]))
    return arithmetic(ctq::op::sub.id(), 0, args[0].integer);
  if (args.size() != 2 || !is_integer_or_real(args[0]) || !is_integer_or_real(args[1])) return {};
  if (const auto flag = comparison(op->name, args[0], args[1])) return flag;
  if (is_integer(args[0]) && is_integer(args[1]))
    if (const auto result = arithmetic(op, args[0].integer, args[1].integer)) return result;
  return real_arithmetic(op, real_of(args[0]), real_of(args[1]));
}

}  // namespace tool
