// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <utility>

#include "ctq/core/unroll.hpp"

// Registers of 32-bit words. Four words, 128 bits, are a group: shuffles within groups, and of
// whole groups, are cheap on every instruction set. The machine must have registers of the size
// that is used.

namespace ctq::kernels::simd {

typedef std::uint32_t words_4 [[gnu::vector_size(16)]];
typedef std::uint32_t words_8 [[gnu::vector_size(32)]];
typedef std::uint32_t words_16 [[gnu::vector_size(64)]];

template <int Lanes>
struct words_type;
template <>
struct words_type<1> {
  using type = std::uint32_t;
};
template <>
struct words_type<4> {
  using type = words_4;
};
template <>
struct words_type<8> {
  using type = words_8;
};
template <>
struct words_type<16> {
  using type = words_16;
};
/// A register of `Lanes` words; for one lane the word itself.
template <int Lanes>
using words_of = typename words_type<Lanes>::type;

/// The words with these numbers; those of y are numbered after those of x.
template <int... Numbers, class Words>
[[nodiscard, gnu::always_inline]] inline Words pick_words(const Words& x, const Words& y) {
  return __builtin_shufflevector(x, y, Numbers...);
}

/// The same in each group: 0 to 3 are the words of x, 4 to 7 those of y.
template <int... Numbers, class Words>
[[nodiscard, gnu::always_inline]] inline Words pick_in_groups(const Words& x, const Words& y) {
  constexpr int lanes = sizeof(Words) / 4;
  constexpr auto lane = [](int to) {
    constexpr int numbers[] = {Numbers...};
    const int number = numbers[to % 4];
    return to / 4 * 4 + (number < 4 ? number : lanes + number - 4);
  };
  return [&]<int... To>(std::integer_sequence<int, To...>) __attribute__((always_inline)) {
    return pick_words<lane(To)...>(x, y);
  }
  (std::make_integer_sequence<int, lanes>{});
}

/// In each group, word j of x[i] becomes word i of x[j].
template <class Words>
[[gnu::always_inline]] inline void transpose_in_groups(Words (&x)[4]) {
  const Words a = pick_in_groups<0, 4, 1, 5>(x[0], x[1]);
  const Words b = pick_in_groups<0, 4, 1, 5>(x[2], x[3]);
  const Words c = pick_in_groups<2, 6, 3, 7>(x[0], x[1]);
  const Words d = pick_in_groups<2, 6, 3, 7>(x[2], x[3]);
  x[0] = pick_in_groups<0, 1, 4, 5>(a, b);
  x[1] = pick_in_groups<2, 3, 6, 7>(a, b);
  x[2] = pick_in_groups<0, 1, 4, 5>(c, d);
  x[3] = pick_in_groups<2, 3, 6, 7>(c, d);
}

/// Group j of x[i] becomes group i of x[j]: as many registers as each has groups.
template <class Words, int Groups>
[[gnu::always_inline]] inline void transpose_groups(Words (&x)[Groups]) {
  static_assert(sizeof(Words) == Groups * 16);
  if constexpr (Groups == 2) {
    const Words first = pick_words<0, 1, 2, 3, 8, 9, 10, 11>(x[0], x[1]);
    x[1] = pick_words<4, 5, 6, 7, 12, 13, 14, 15>(x[0], x[1]);
    x[0] = first;
  } else if constexpr (Groups == 4) {
    const auto even = [](const Words& p, const Words& q) __attribute__((always_inline)) {
      return pick_words<0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27>(p, q);
    };
    const auto odd = [](const Words& p, const Words& q) __attribute__((always_inline)) {
      return pick_words<4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31>(p, q);
    };
    const Words a = even(x[0], x[1]), b = even(x[2], x[3]);
    const Words c = odd(x[0], x[1]), d = odd(x[2], x[3]);
    x[0] = even(a, b);
    x[1] = even(c, d);
    x[2] = odd(a, b);
    x[3] = odd(c, d);
  } else {
    static_assert(Groups == 1);
  }
}

/// Word j of x[i] becomes word i of x[j]: as many registers as each has words.
template <class Words, int Lanes>
[[gnu::always_inline]] inline void transpose_words(Words (&x)[Lanes]) {
  static_assert(sizeof(Words) == Lanes * 4);
  if constexpr (Lanes > 1) {
    constexpr int groups = Lanes / 4;
    unroll<groups>([&](auto g) __attribute__((always_inline)) {
      Words four[4] = {x[4 * g], x[4 * g + 1], x[4 * g + 2], x[4 * g + 3]};
      transpose_in_groups(four);
      unroll<4>([&](auto i) __attribute__((always_inline)) { x[4 * g + i] = four[i]; });
    });
    unroll<4>([&](auto i) __attribute__((always_inline)) {
      Words of_groups[groups];
      unroll<groups>([&](auto g) __attribute__((always_inline)) { of_groups[g] = x[4 * g + i]; });
      transpose_groups(of_groups);
      unroll<groups>([&](auto g) __attribute__((always_inline)) { x[4 * g + i] = of_groups[g]; });
    });
  }
}

/// Word i is the sum of the words of x[i], modulo 2^32.
template <class Words>
[[nodiscard, gnu::always_inline]] inline words_4 sums_of_words(Words (&x)[4]) {
  if constexpr (sizeof(Words) == 4) {
    return words_4{x[0], x[1], x[2], x[3]};
  } else {
    transpose_in_groups(x);
    const Words all = (x[0] + x[1]) + (x[2] + x[3]);
    words_4 sum = __builtin_shufflevector(all, all, 0, 1, 2, 3);
    if constexpr (sizeof(Words) >= 32) sum += __builtin_shufflevector(all, all, 4, 5, 6, 7);
    if constexpr (sizeof(Words) >= 64)
      sum += __builtin_shufflevector(all, all, 8, 9, 10, 11) +
             __builtin_shufflevector(all, all, 12, 13, 14, 15);
    return sum;
  }
}

}  // namespace ctq::kernels::simd
