// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/core/no_contract.hpp"
#include "ctq/core/unroll.hpp"

// GELU in registers, x * Φ(x) with the distribution function Φ of normal numbers. Computed in
// double, in a fixed order of operations: all instruction sets give the same bits, and 1 + erf(x /
// sqrt(2)) keeps its digits where it is near 0.

namespace ctq::descriptors::functions {

namespace gelu_in_double {

/// Beyond it, erf(x / sqrt(2)) differs from 1 or -1 by less than 7e-9.
inline constexpr double most = 5.8;
/// x * P(x²) / Q(x²) is erf(x / sqrt(2)) within 3e-9, for |x| <= most. From the highest power on.
inline constexpr double p[] = {-1.494191562e-10, 1.048829512e-07, 1.687907097e-05, 0.0003409287635,
                               0.009611693463,   0.06548519139,   0.7978845626};
inline constexpr double q[] = {1.990459248e-06, 8.201424273e-05, 0.001935661921,
                               0.0285030339,    0.2487402266,    1.0};

template <class Doubles, std::size_t N>
[[nodiscard, gnu::always_inline]] inline Doubles polynomial(const Doubles& x,
                                                            const double (&factor)[N]) noexcept {
  Doubles y = Doubles{} + factor[0];
  unroll<static_cast<int>(N) - 1>([&](auto i) __attribute__((always_inline)) {
    y = no_contract(y * x) + factor[i + 1];
  });
  return y;
}

/// Doubles  double, or a register of them
template <class Doubles>
[[nodiscard, gnu::always_inline]] inline Doubles of(const Doubles& x) noexcept {
  const Doubles square = no_contract(x * x), one = Doubles{} + 1.0;
  const Doubles erf = no_contract(x * polynomial(square, p)) / polynomial(square, q);
  const Doubles bounded = x > most ? one : x < -most ? -one : erf;
  return no_contract(x * 0.5) * (one + bounded);
}

// Registers of doubles, and as many floats.
struct two {
  typedef double doubles [[gnu::vector_size(16)]];
  typedef float floats [[gnu::vector_size(8)]];
};
struct four {
  typedef double doubles [[gnu::vector_size(32)]];
  typedef float floats [[gnu::vector_size(16)]];
};
struct eight {
  typedef double doubles [[gnu::vector_size(64)]];
  typedef float floats [[gnu::vector_size(32)]];
};
template <class Isa>
using registers_of =
    std::conditional_t<isa::includes<Isa, isa::avx512>, eight,
                       std::conditional_t<isa::includes<Isa, isa::avx2>, four, two>>;

}  // namespace gelu_in_double

[[nodiscard]] inline float gelu(float x) noexcept {
  return static_cast<float>(gelu_in_double::of(static_cast<double>(x)));
}

/// y[i] = gelu(x[i]); x and y may be the same.
template <class Isa>
[[gnu::noinline]] void gelu_of_row(const float* x, std::size_t count, float* y) noexcept {
  using registers = gelu_in_double::registers_of<Isa>;
  using floats = typename registers::floats;
  using doubles = typename registers::doubles;
  constexpr std::size_t width = sizeof(floats) / sizeof(float);
  std::size_t i = 0;
  for (; i + width <= count; i += width) {
    floats part;
    std::memcpy(&part, x + i, sizeof part);
    const doubles wide = gelu_in_double::of(__builtin_convertvector(part, doubles));
    part = __builtin_convertvector(wide, floats);
    std::memcpy(y + i, &part, sizeof part);
  }
  for (; i < count; ++i) y[i] = gelu(x[i]);
}

}  // namespace ctq::descriptors::functions
