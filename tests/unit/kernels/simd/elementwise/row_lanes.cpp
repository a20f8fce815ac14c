// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/row_lanes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "kernels/samples.hpp"
#include "kernels/with_registers.hpp"

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

/// Each element of each row is in one register, at its place.
template <class Isa>
void check_registers() {
  using row = simd::row_lanes<Isa>;
  const std::vector<float> ones(50, 1.0F);
  for (int count = 1; count <= 50; ++count) {
    CAPTURE(count);
    const auto length = static_cast<std::size_t>(count);
    std::vector<float> single(length), first(length), second(length);
    simd::for_each_register<Isa>(count, [&](int i, const auto& lanes) {
      lanes.store(lanes.load(single.data() + i, 0.0F) + lanes.load(ones.data() + i, 0.0F),
                  single.data() + i);
    });
    simd::for_each_part<Isa, 2>(count, [&](auto k, auto r, int i, const auto& lanes) {
      CHECK(i % reference::row_sums == r * row::width);
      float* const to = (k == 0 ? first : second).data();
      if (i < count)
        lanes.store(lanes.load(to + i, 0.0F) + lanes.load(ones.data() + i, 0.0F), to + i);
    });
    const std::vector<float> once(length, 1.0F);
    CHECK(single == once);
    CHECK(first == once);
    CHECK(second == once);
  }
}

template <int Together>
void check_rows() {
  for (std::ptrdiff_t rows = 0; rows < 11; ++rows) {
    std::vector<int> visits(static_cast<std::size_t>(rows));
    simd::for_rows_together<Together>(rows, [&](auto together, std::ptrdiff_t first) {
      for (std::ptrdiff_t k = 0; k < together; ++k) ++visits[static_cast<std::size_t>(first + k)];
    });
    CHECK(visits == std::vector<int>(visits.size(), 1));
  }
}

}  // namespace

TEST_CASE("sums of 16 lanes are those of the reference, and the largest lane is found") {
  samples::with_registers([]<class Isa>(std::type_identity<Isa>) {
    for (unsigned seed = 0; seed < 200; ++seed) check_folds<Isa>(seed);
  });
}

TEST_CASE("every row is visited once, several together") {
  check_rows<1>();
  check_rows<2>();
  check_rows<4>();
}

TEST_CASE("the registers of a row hold each of its elements once") {
  samples::with_registers([]<class Isa>(std::type_identity<Isa>) { check_registers<Isa>(); });
}
