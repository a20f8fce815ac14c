// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/tables/table_lookup.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

namespace {

/// Every number at every lane, in a table that may not be read past its end.
template <class Isa, class Q>
void check_table() {
  constexpr std::size_t lanes = batch<Isa, Q>::size;
  const auto entries = samples::integers<Q>(256, 7);
  const samples::fenced<Q> table(entries);
  for (std::size_t first = 0; first < 256; ++first) {
    std::vector<Q> in(lanes), wanted(lanes), out(lanes);
    for (std::size_t i = 0; i < lanes; ++i) {
      in[i] = static_cast<Q>(first + 37 * i);
      wanted[i] = entries[static_cast<std::uint8_t>(in[i])];
    }
    simd::look_up<Isa, Q>(table.data(), batch<Isa, Q>::load_unaligned(in.data()))
        .store_unaligned(out.data());
    CHECK(out == wanted);
  }
}

}  // namespace

TEST_CASE("a register of numbers is looked up by their bits") {
  []<class Isa>(std::type_identity<Isa>) {
    if constexpr (vectorized<Isa>) {
      check_table<Isa, std::uint8_t>();
      check_table<Isa, std::int8_t>();
    }
  }(std::type_identity<isa_t>{});
}
