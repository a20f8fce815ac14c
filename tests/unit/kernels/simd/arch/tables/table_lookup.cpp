// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/tables/table_lookup.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

#include "kernels/simd/arch/tables/table_case.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

namespace {

template <class Isa, class Q>
struct looked_up {
  const Q* table;
  batch<Isa, Q> operator[](const batch<Isa, Q>& q) const { return simd::look_up<Isa, Q>(table, q); }
};

}  // namespace

TEST_CASE("a register of numbers is looked up by their bits") {
  []<class Isa>(std::type_identity<Isa>) {
    if constexpr (vectorized<Isa>) {
      table_case::check_every_number<Isa, std::uint8_t>(
          [](const std::uint8_t* table) { return looked_up<Isa, std::uint8_t>{table}; });
      table_case::check_every_number<Isa, std::int8_t>(
          [](const std::int8_t* table) { return looked_up<Isa, std::int8_t>{table}; });
    }
  }(std::type_identity<isa_t>{});
}
