// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/word_groups.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace ctq::kernels::simd;

namespace {

/// Word j of register i is 100 * i + j.
template <class Words, int Count>
void number_words(Words (&x)[Count]) {
  for (int i = 0; i < Count; ++i)
    for (unsigned j = 0; j < sizeof(Words) / 4; ++j) x[i][j] = 100U * static_cast<unsigned>(i) + j;
}

template <class Words>
void check_words() {
  constexpr int lanes = sizeof(Words) / 4;
  Words square[lanes];
  number_words(square);
  transpose_words(square);
  for (int i = 0; i < lanes; ++i)
    for (int j = 0; j < lanes; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK(+square[i][j] == static_cast<std::uint32_t>(100 * j + i));
    }

  Words four[4];
  number_words(four);
  transpose_in_groups(four);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < lanes; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK(+four[i][j] == static_cast<std::uint32_t>(100 * (j % 4) + j / 4 * 4 + i));
    }

  // Modulo 2^32.
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < lanes; ++j)
      four[i][j] = 0xF000'0000U * static_cast<std::uint32_t>(j + 1) + static_cast<unsigned>(i);
  const words_4 sums = sums_of_words(four);
  for (unsigned i = 0; i < 4; ++i) {
    std::uint32_t sum = 0;
    for (unsigned j = 1; j <= lanes; ++j) sum += 0xF000'0000U * j + i;
    CHECK(+sums[i] == sum);
  }
}

}  // namespace

TEST_CASE("a single word is no register") {
  words_of<1> one[1] = {7};
  transpose_words(one);
  CHECK(one[0] == 7);
  words_of<1> four[4] = {1, 2, 3, 4};
  const words_4 sums = sums_of_words(four);
  for (unsigned i = 0; i < 4; ++i) CHECK(+sums[i] == i + 1);
}

TEST_CASE("words are transposed and summed in registers of each size") {
  check_words<words_4>();
#ifdef __AVX__
  check_words<words_8>();
#endif
#ifdef __AVX512F__
  check_words<words_16>();
#endif
}
