// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/no_contract.hpp"
#include "ctq/ops/rows/registers.hpp"

// Functions of floats that are computed in double, several in a register, in a fixed order of
// operations: all compilers and instruction sets give the same bits, which those of the C library
// do not. A double has digits to spare, so that simple formulas are as exact as a float can be.

namespace ctq::descriptors::functions::double_lanes {

/// One number, with the type names of registers_of.
struct one {
  using doubles = double;
  using bits = std::uint64_t;
};

/// The same number in all lanes.
template <class Lanes>
[[nodiscard, gnu::always_inline]] inline typename Lanes::doubles all(double x) noexcept {
  return typename Lanes::doubles{} + x;
}

/// first x^N + factor[0] x^(N-1) + … + factor[N-1]
template <class Lanes, class... Factor>
[[nodiscard, gnu::always_inline]] inline typename Lanes::doubles polynomial(
    const typename Lanes::doubles& x, double first, Factor... factor) noexcept {
  typename Lanes::doubles y = all<Lanes>(first);
  ((y = no_contract(y * x) + factor), ...);
  return y;
}

/// exp of a number of at most 700, in parts: 2^n (1 + rest), where the number is n ln(2) + r, n is
/// an integer, and rest is exp(r) - 1.
template <class Lanes>
struct exp_parts {
  using doubles = typename Lanes::doubles;
  using bits = typename Lanes::bits;

  doubles rest;
  bits exponent;  // n where a double has its exponent

  [[gnu::always_inline]] explicit exp_parts(const doubles& x) noexcept {
    // The lowest bits of a number plus this are those of the nearest integer.
    constexpr double round_to_integer = 0x1.8p52;
    // In two parts, so that products of the first one and n are exact.
    constexpr double ln2_high = 0x1.62e42fep-1, ln2_low = 1.820635975313678e-09;
    const doubles shifted = no_contract(x * 1.4426950408889634) + round_to_integer;
    const doubles n = shifted - round_to_integer;
    const doubles r = (x - no_contract(n * ln2_high)) - no_contract(n * ln2_low);
    // Of all polynomials that are 1 at 0, the closest to exp on [-ln(2) / 2, ln(2) / 2], less 1.
    rest = no_contract(polynomial<Lanes>(r, 0.000197676577535, 0.00139459096289, 0.00833356899445,
                                         0.0416662723875, 0.166666651629, 0.500000007719,
                                         1.00000000021) *
                       r);
    exponent = std::bit_cast<bits>(shifted) << 52;
  }
  /// 2^n x
  [[nodiscard, gnu::always_inline]] doubles scaled(const doubles& x) const noexcept {
    return std::bit_cast<doubles>(std::bit_cast<bits>(x) + exponent);
  }
};

/// exp(x) within 5e-11 of its value. 0 below -700, infinite above 700, where floats are, too.
template <class Lanes>
[[nodiscard, gnu::always_inline]] inline typename Lanes::doubles exp(
    const typename Lanes::doubles& x) noexcept {
  using doubles = typename Lanes::doubles;
  const doubles least = all<Lanes>(-700.0), most = all<Lanes>(700.0);
  const exp_parts<Lanes> parts(x < least ? least : x > most ? most : x);
  const doubles result = parts.scaled(parts.rest + 1.0);
  return x < least ? all<Lanes>(0.0) : x > most ? all<Lanes>(__builtin_inf()) : result;
}

/// exp(x) - 1 within 6e-10 of its value, near 0, too, for numbers from -700 to 700.
template <class Lanes>
[[nodiscard, gnu::always_inline]] inline typename Lanes::doubles expm1(
    const typename Lanes::doubles& x) noexcept {
  const exp_parts<Lanes> parts(x);
  const typename Lanes::doubles power = parts.scaled(all<Lanes>(1.0));
  return no_contract(parts.rest * power) + (power - 1.0);
}

/// f(x) of a float.
///   F  called with a type_identity of `one` or of registers_of, and their doubles
template <class F>
[[nodiscard, gnu::always_inline]] inline float value_of(float x, F f = {}) noexcept {
  return static_cast<float>(f(std::type_identity<one>{}, static_cast<double>(x)));
}

/// y[i] = f(x[i]); x and y may be the same.
template <class Isa, class F>
[[gnu::noinline]] void for_row(const float* x, std::size_t count, float* y, F f = {}) noexcept {
  using lanes = registers_of<Isa>;
  using floats = typename lanes::narrow_floats;
  const auto run = [&](std::size_t i, std::size_t bytes) __attribute__((always_inline)) {
    floats part{};
    __builtin_memcpy(&part, x + i, bytes);
    const auto wide = __builtin_convertvector(part, typename lanes::doubles);
    part = __builtin_convertvector(f(std::type_identity<lanes>{}, wide), floats);
    __builtin_memcpy(y + i, &part, bytes);
  };
  constexpr std::size_t width = sizeof(floats) / sizeof(float);
  std::size_t i = 0;
  for (; i + width <= count; i += width) run(i, sizeof(floats));
  if (i < count) run(i, (count - i) * sizeof(float));
}

}  // namespace ctq::descriptors::functions::double_lanes
