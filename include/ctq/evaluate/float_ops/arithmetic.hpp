// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "ctq/core/no_contract.hpp"
#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/evaluate/float_ops/strided.hpp"

// Arithmetic on tensors, with broadcasting, and on Python's numbers. Two integers give an integer,
// all other operands float32.

namespace ctq::float_ops {

/// out[i] = f(a[i], b[i]), with broadcasting.
template <class T, class F>
result<array<T>> zip(const array<T>& a, const array<T>& b, F f) {
  auto shape = broadcast(a.shape, b.shape);
  if (!shape) return unexpected{shape.error()};
  array<T> out = a.shape == *shape ? a : copy(a, expanded(strided_of(a.shape), *shape));
  if (b.shape == *shape) {
    for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] = f(out.data[i], b.data[i]);
    return out;
  }
  const array<T> right = copy(b, expanded(strided_of(b.shape), *shape));
  for (std::size_t i = 0; i < out.data.size(); ++i) out.data[i] = f(out.data[i], right.data[i]);
  return out;
}

namespace arithmetic {

/// A sum, difference or product. Integers wrap around, as in PyTorch.
template <class F>
struct wrapping {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::integral<T>) {
      return static_cast<T>(F{}(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    } else {
      return F{}(a, b);
    }
  }
};
using add = wrapping<std::plus<>>;
using sub = wrapping<std::minus<>>;
using mul = wrapping<std::multiplies<>>;

/// Rounds down, as Python's //.
struct floordiv {
  template <std::floating_point Real>
  static Real of(Real a, Real b) {
    if (b == Real{0}) return a / b;
    const Real remainder = std::fmod(a, b);
    Real quotient = (a - remainder) / b;
    if (remainder != Real{0} && (b < Real{0}) != (remainder < Real{0})) quotient -= Real{1};
    if (quotient == Real{0}) return std::copysign(Real{0}, a / b);
    const Real floor = std::floor(quotient);
    return quotient - floor > Real{0.5} ? floor + Real{1} : floor;
  }
  static std::int64_t of(std::int64_t a, std::int64_t b) {
    if (b == -1) return sub::of(std::int64_t{0}, a);
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
  }
};

/// The remainder of a / b, with the sign of b, as Python's %.
struct remainder {
  template <std::floating_point Real>
  static Real of(Real a, Real b) {
    return descriptors::functions::remainder(a, b);
  }
  static std::int64_t of(std::int64_t a, std::int64_t b) {
    return b == -1 ? 0 : sub::of(a, mul::of(floordiv::of(a, b), b));
  }
};

/// The result is always a float.
struct truediv {
  template <std::floating_point Real>
  static Real of(Real a, Real b) {
    return a / b;
  }
};

struct power {
  static float of(float a, float b) { return descriptors::functions::power(a, b); }
  static double of(double a, double b) { return std::pow(a, b); }
  static std::int64_t of(std::int64_t a, std::int64_t b) {
    std::int64_t product = 1;
    for (; b > 0; b /= 2, a = mul::of(a, a))
      if (b % 2 == 1) product = mul::of(product, a);
    return product;
  }
};

/// NaN if either operand is.
struct maximum {
  template <class T>
  static T of(T a, T b) {
    return a != a || a > b ? a : b;
  }
};

struct minimum {
  template <class T>
  static T of(T a, T b) {
    return a != a || a < b ? a : b;
  }
};

/// 1 where the condition holds, else 0.
template <auto Holds>
struct mask {
  template <class T>
  static T of(T a, T b) {
    return Holds(a, b) ? T{1} : T{0};
  }
};
inline constexpr auto both = [](auto a, auto b) { return a != 0 && b != 0; };
inline constexpr auto either = [](auto a, auto b) { return a != 0 || b != 0; };

inline bool is_tensor(const value& v) { return v.is<tensor>() || v.is<index_tensor>(); }
inline bool is_integral(const value& v) { return v.is<index_tensor>() || as_integer(v); }

/// A number as a tensor without axes.
inline index_tensor to_indices(const value& v) {
  if (const auto* t = v.get_if<index_tensor>()) return *t;
  return {{}, {as_integer(v).value_or(0)}};
}
inline tensor to_floats(const value& v) {
  if (const auto* t = v.get_if<tensor>()) return *t;
  if (const auto* t = v.get_if<index_tensor>()) return as_floats(*t);
  return {{}, {static_cast<float>(as_real(v).value_or(0))}};
}

template <class Op>
concept works_on_integers = requires(std::int64_t i) {
  { Op::of(i, i) } -> std::same_as<std::int64_t>;
};

/// Whether the right operand is invalid for integers: zero for a division, negative for a power.
template <class Op>
bool has_invalid_right(const index_tensor& right) {
  constexpr bool divides = std::same_as<Op, floordiv> || std::same_as<Op, remainder>;
  return std::ranges::any_of(right.data, [](std::int64_t i) {
    return (divides && i == 0) || (std::same_as<Op, power> && i < 0);
  });
}

template <class Op>
result<value> apply(const operands& from, const value& a, const value& b) {
  const auto number = [](const value& v) { return is_tensor(v) || as_real(v); };
  if (!number(a) || !number(b)) return from.failure("needs tensors and numbers");
  if constexpr (works_on_integers<Op>) {
    if (is_integral(a) && is_integral(b)) {
      const index_tensor left = to_indices(a), right = to_indices(b);
      if (has_invalid_right<Op>(right)) return from.failure("has no integer result");
      auto out = zip(left, right, [](std::int64_t x, std::int64_t y) { return Op::of(x, y); });
      if (out && !is_tensor(a) && !is_tensor(b)) return value(out->data[0]);
      return from.answer(std::move(out));
    }
  }
  if (!is_tensor(a) && !is_tensor(b)) return value(Op::of(*as_real(a), *as_real(b)));
  return from.answer(
      zip(to_floats(a), to_floats(b), [](float x, float y) { return Op::of(x, y); }));
}

}  // namespace arithmetic

namespace implementation {

template <class Op>
result<value> binary(operands& from) {
  const value a = from.any("input"), b = from.any("other");
  if (from.failed()) return from.failure();
  return arithmetic::apply<Op>(from, a, b);
}

/// input + alpha * other, or input - alpha * other; reversed, other - alpha * input.
template <class Op, bool IsReversed = false>
result<value> scaled(operands& from) {
  const value input = from.any("input"), other = from.any("other"), alpha = from.any("alpha");
  if (from.failed()) return from.failure();
  const value &a = IsReversed ? other : input, &b = IsReversed ? input : other;
  if (as_integer(alpha) == 1) return arithmetic::apply<Op>(from, a, b);
  const auto product = arithmetic::apply<arithmetic::mul>(from, b, alpha);
  return product ? arithmetic::apply<Op>(from, a, *product) : product;
}

inline result<value> power(operands& from) {
  const value a = from.any("input"), b = from.any("exponent");
  if (from.failed()) return from.failure();
  return arithmetic::apply<arithmetic::power>(from, a, b);
}

/// The sum of numbers and tensors; for lists Python's +, their concatenation.
inline result<value> add(operands& from) {
  const value a = from.any("input"), b = from.any("other");
  const auto *left = a.get_if<list>(), *right = b.get_if<list>();
  if (left == nullptr || right == nullptr) return scaled<arithmetic::add>(from);
  list both = *left;
  both.insert(both.end(), right->begin(), right->end());
  return value(std::move(both));
}

inline result<value> negative(operands& from) {
  const value a = from.any("input");
  if (from.failed()) return from.failure();
  return arithmetic::apply<arithmetic::mul>(from, a, -1);
}

/// 1 where a tensor has 0, else 0.
inline result<value> logical_not(operands& from) {
  const value a = from.any("input");
  from.require(arithmetic::is_tensor(a), "input is not a tensor");
  if (from.failed()) return from.failure();
  return arithmetic::apply<arithmetic::mask<std::equal_to<>{}>>(from, arithmetic::to_floats(a), 0);
}

/// `value` where the mask, which is broadcast, is not 0.
inline result<value> masked_fill(operands& from) {
  const tensor& in = from.floats("input");
  const value mask = from.any("mask");
  const auto filler = static_cast<float>(from.real("value"));
  const bool unless = from.flag("unless");
  from.require(arithmetic::is_tensor(mask), "mask is not a tensor");
  if (from.failed()) return from.failure();
  return from.answer(zip(in, arithmetic::to_floats(mask), [=](float x, float masked) {
    return (masked != 0.0F) != unless ? filler : x;
  }));
}

/// Elements of `input` where the condition is not 0, else of `other`, all of which broadcast.
inline result<value> where(operands& from) {
  const value condition = from.any("condition"), a = from.any("input"), b = from.any("other");
  if (from.failed()) return from.failure();
  const tensor mask = arithmetic::to_floats(condition);
  const tensor chosen[] = {arithmetic::to_floats(a), arithmetic::to_floats(b)};
  const auto both = broadcast(chosen[0].shape, chosen[1].shape);
  const auto shape = both ? broadcast(mask.shape, *both) : both;
  if (!shape) return from.failure(shape.error().cause);
  const auto whole = [&](const tensor& t) {
    return copy(t, expanded(strided_of(t.shape), *shape));
  };
  tensor out = whole(mask);
  const tensor then = whole(chosen[0]), otherwise = whole(chosen[1]);
  for (std::size_t i = 0; i < out.data.size(); ++i)
    out.data[i] = (out.data[i] != 0.0F ? then : otherwise).data[i];
  return value(std::move(out));
}

/// torch.div: rounding_mode is None, 'floor' or 'trunc'.
inline result<value> divide(operands& from) {
  const value a = from.any("input"), b = from.any("other"), rounding = from.any("rounding_mode");
  if (from.failed()) return from.failure();
  if (rounding.is<none>()) return arithmetic::apply<arithmetic::truediv>(from, a, b);
  if (from.text("rounding_mode") == "floor")
    return arithmetic::apply<arithmetic::floordiv>(from, a, b);
  return from.failure("supports rounding_mode None and floor only");
}

inline constexpr float_op arithmetics[] = {
    {"add", "input, other, *, alpha=1", add},
    {"sub", "input, other, *, alpha=1", scaled<arithmetic::sub>},
    {"rsub", "input, other, *, alpha=1", scaled<arithmetic::sub, true>},
    {"mul", "input, other", binary<arithmetic::mul>},
    {"div truediv", "input, other, *, rounding_mode=None", divide},
    {"floordiv floor_divide", "input, other", binary<arithmetic::floordiv>},
    {"remainder mod", "input, other", binary<arithmetic::remainder>},
    {"pow", "input, exponent", power},
    {"neg", "input", negative},
    {"maximum", "input, other", binary<arithmetic::maximum>},
    {"minimum", "input, other", binary<arithmetic::minimum>},
    {"masked_fill", "input, mask, value, unless=False", masked_fill},
    {"invert logical_not", "input", logical_not},
    {"where", "condition, input, other, ...", where},
    {"eq", "input, other", binary<arithmetic::mask<std::equal_to<>{}>>},
    {"ne", "input, other", binary<arithmetic::mask<std::not_equal_to<>{}>>},
    {"lt", "input, other", binary<arithmetic::mask<std::less<>{}>>},
    {"le", "input, other", binary<arithmetic::mask<std::less_equal<>{}>>},
    {"gt", "input, other", binary<arithmetic::mask<std::greater<>{}>>},
    {"ge", "input, other", binary<arithmetic::mask<std::greater_equal<>{}>>},
    {"and logical_and", "input, other", binary<arithmetic::mask<arithmetic::both>>},
    {"or logical_or", "input, other", binary<arithmetic::mask<arithmetic::either>>},
};

}  // namespace implementation
}  // namespace ctq::float_ops
