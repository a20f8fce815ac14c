// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/tables/table_shuffle.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "kernels/simd/arch/tables/table_case.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

TEST_CASE("a register of numbers is looked up by shuffles") {
  []<class Isa>(std::type_identity<Isa>) {
    if constexpr (simd::shuffles_bytes<Isa>) {
      table_case::check_every_number<Isa, std::uint8_t>(
          [](const std::uint8_t* table) { return simd::shuffled_table<Isa, std::uint8_t>(table); });
      table_case::check_every_number<Isa, std::int8_t>(
          [](const std::int8_t* table) { return simd::shuffled_table<Isa, std::int8_t>(table); });
    }
  }(std::type_identity<isa_t>{});
}
