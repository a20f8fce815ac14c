// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/row_lanes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

template <class Isa>
void check_folds(unsigned seed) {
  using row = simd::row_lanes<Isa>;
  auto x = samples::plain_floats(reference::row_sums, seed);
  row lanes;
  for (std::size_t r = 0; r < static_cast<std::size_t>(row::registers); ++r)
    lanes.part[r] = row::floats::load_unaligned(x.data() + r * row::floats::size);
  CHECK(lanes.largest() == *std::max_element(x.begin(), x.end()));
  float sums[reference::row_sums];
  std::copy(x.begin(), x.end(), sums);
  CHECK(lanes.sum() == reference::fold_sums(sums));
  CHECK(row(x[0]).largest() == x[0]);
}

template <class Isa>
void check_rows() {
  for (std::ptrdiff_t rows = 0; rows < 11; ++rows) {
    std::vector<int> visits(static_cast<std::size_t>(rows));
    simd::for_rows_together<Isa>(rows, [&](auto together, std::ptrdiff_t first) {
      for (std::ptrdiff_t k = 0; k < together; ++k) ++visits[static_cast<std::size_t>(first + k)];
    });
    CHECK(visits == std::vector<int>(visits.size(), 1));
  }
}

/// Calls f(instruction set) if it has registers.
template <class F>
void with_registers(F f) {
  []<class Isa>(std::type_identity<Isa> isa, const F& call) {
    if constexpr (vectorized<Isa>) call(isa);
  }(std::type_identity<isa::native>{}, f);
}

}  // namespace

TEST_CASE("sums of 16 lanes are those of the reference, and the largest lane is found") {
  with_registers([]<class Isa>(std::type_identity<Isa>) {
    for (unsigned seed = 0; seed < 200; ++seed) check_folds<Isa>(seed);
  });
}

TEST_CASE("every row is visited once, several together") {
  with_registers([]<class Isa>(std::type_identity<Isa>) { check_rows<Isa>(); });
}
