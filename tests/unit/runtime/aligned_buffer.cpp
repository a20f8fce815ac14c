// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/aligned_buffer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

TEST_CASE("a buffer is aligned to a cache line and zero at first") {
  const ctq::aligned_buffer b{100};
  CHECK(reinterpret_cast<std::uintptr_t>(b.data()) % 64 == 0);
  for (std::size_t i = 0; i < b.size(); ++i) CHECK(b.data()[i] == std::byte{0});
}

TEST_CASE("copies are their own memory, moves hand it over") {
  ctq::aligned_buffer a{8};
  a.data()[3] = std::byte{7};
  ctq::aligned_buffer copy = a;
  copy.data()[3] = std::byte{8};
  CHECK(a.data()[3] == std::byte{7});
  const std::byte* const memory = a.data();
  const ctq::aligned_buffer moved = std::move(a);
  CHECK(moved.data() == memory);
  copy = moved;
  CHECK(copy.data()[3] == std::byte{7});
}

TEST_CASE("a buffer of no bytes is fine") {
  const ctq::aligned_buffer none{0};
  const ctq::aligned_buffer copy = none;
  CHECK(copy.size() == 0);
}
