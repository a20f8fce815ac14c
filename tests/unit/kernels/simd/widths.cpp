// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/widths.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <type_traits>

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

namespace {

template <class Isa>
constexpr int size_of = static_cast<int>(batch<Isa, std::uint8_t>::size);

/// The widest registers that count bytes fill are chosen: the next wider ones they do not.
template <class Isa>
void check_widths() {
  for (int count = 0; count <= 130; ++count) {
    int calls = 0;
    int chosen = 0;
    simd::with_width<Isa, std::uint8_t>(count, [&](auto tag) {
      using width = decltype(tag);
      ++calls;
      chosen = size_of<width>;
      // Another set of half the width, or none: down to the narrowest there is.
      constexpr bool narrowest = std::is_same_v<simd::half_width<width>, width>;
      CHECK((narrowest || size_of<simd::half_width<width>> * 2 == size_of<width>));
    });
    CHECK(calls == 1);
    const bool wider_fits = 2 * chosen <= count && chosen < size_of<Isa>;
    CHECK_FALSE(wider_fits);
    CHECK((chosen <= count || chosen == 16));
  }
}

}  // namespace

TEST_CASE("kernels take the widest registers that the channels fill") {
  []<class Isa>(std::type_identity<Isa>) {
    if constexpr (vectorized<Isa>) check_widths<Isa>();
  }(std::type_identity<isa_t>{});
}
