// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/store_first.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>

using ctq::kernels::simd::store_first;

namespace {

constexpr int room = 80;
constexpr int before = 3;

/// What follows and precedes stays as it is.
template <int Bytes>
bool stores(int count) {
  unsigned char from[Bytes];
  for (int i = 0; i < Bytes; ++i) from[i] = static_cast<unsigned char>(i + 1);
  unsigned char to[room];
  unsigned char wanted[room];
  std::memset(to, 200, sizeof to);
  std::memset(wanted, 200, sizeof wanted);
  std::memcpy(wanted + before, from, static_cast<std::size_t>(count));
  store_first<Bytes>(to + before, from, count);
  return std::memcmp(to, wanted, sizeof to) == 0;
}

template <int Bytes>
void check_all_counts() {
  for (int count = 0; count <= Bytes; ++count) {
    int unknown = count;
    __asm__ volatile("" : "+r"(unknown));  // else it may be unrolled to constants
    CHECK(stores<Bytes>(unknown));
  }
}

}  // namespace

TEST_CASE("the first bytes are stored, and no other") {
  check_all_counts<1>();
  check_all_counts<2>();
  check_all_counts<8>();
  check_all_counts<16>();
  check_all_counts<32>();
  check_all_counts<64>();
}

TEST_CASE("a constant count") {
  CHECK(stores<16>(0));
  CHECK(stores<16>(5));
  CHECK(stores<16>(16));
}
