// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/core/machine.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using namespace ctq;

TEST_CASE("every machine runs portable code, and what it was compiled for") {
  CHECK(isa::supported<isa::scalar>());
  CHECK(isa::supported("scalar"));
  CHECK(isa::supported<isa::native>());
}

TEST_CASE("a name that no instruction set has is not supported") {
  CHECK_FALSE(isa::supported("avx1024"));
  CHECK_FALSE(isa::supported(""));
}

TEST_CASE("instruction sets are asked for the fastest first, until one is taken") {
  std::vector<std::string_view> names;
  CHECK_FALSE(isa::any_isa([&]<class Isa>() {
    names.push_back(Isa::name);
    return false;
  }));
  REQUIRE_FALSE(names.empty());
  CHECK(names.back() == "scalar");
  std::size_t asked = 0;
  CHECK(isa::any_isa([&]<class Isa>() { return ++asked == 1; }));
  CHECK(asked == 1);
}

#if defined(__x86_64__)
TEST_CASE("what an instruction set adds to is there if it is") {
  const auto implies = [](bool a, bool b) { return !a || b; };
  CHECK(implies(isa::supported<isa::amx>(), isa::supported<isa::avx512vnni>()));
  CHECK(implies(isa::supported<isa::avx512vnni>(), isa::supported<isa::avx512>()));
  CHECK(implies(isa::supported<isa::avx512>(), isa::supported<isa::avx2>()));
  CHECK(implies(isa::supported<isa::avxvnni>(), isa::supported<isa::avx2>()));
  CHECK(implies(isa::supported<isa::avx2>(), isa::supported<isa::sse4>()));
  CHECK(isa::supported<isa::sse2>());
}
#elif defined(__aarch64__)
TEST_CASE("what an instruction set adds to is there if it is") {
  CHECK((!isa::supported<isa::i8mm>() || isa::supported<isa::dotprod>()));
  CHECK(isa::supported<isa::neon>());
}
#endif
