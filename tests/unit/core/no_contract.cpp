// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/no_contract.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

using ctq::no_contract;

namespace {

/// Not known to the compiler.
template <class T>
T opaque(T x) {
  volatile T kept = x;
  return kept;
}

TEST_CASE("every number passes unchanged, bit for bit") {
  for (const float x : {0.0F, -0.0F, 1.5F, -1e-45F, 3e38F, std::numeric_limits<float>::infinity(),
                        std::numeric_limits<float>::quiet_NaN()})
    CHECK(std::bit_cast<std::uint32_t>(no_contract(x)) == std::bit_cast<std::uint32_t>(x));
  CHECK(no_contract(0.1) == 0.1);
}

TEST_CASE("a product is rounded before it is added to, whatever the flags") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the last term is lost in a float, and kept by an fma.
  const float a = opaque(1.0F + 0x1p-12F);
  const float minus = opaque(-(1.0F + 0x1p-11F));
  CHECK(no_contract(a * a) + minus == 0.0F);
  CHECK(std::fma(a, a, minus) == 0x1p-24F);
}

}  // namespace
