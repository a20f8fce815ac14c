// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/matrix/accumulator_rows.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/core/isa.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// Two registers of eight lanes; four lanes at a time are contiguous channels, as after packing
/// within 128 bits.
struct by_fours {
  static constexpr int lanes = 8;
  static constexpr int column(int vectors, int vector, int lane) {
    return lane / 4 * 4 * vectors + vector * 4 + lane % 4;
  }
};

/// A row in lane order; the value of channel i is 10 * i.
std::array<std::int32_t, 16> tens() {
  std::array<std::int32_t, 16> row{};
  for (int i = 0; i < 16; ++i) {
    row[static_cast<std::size_t>(i)] = 10 * by_fours::column(2, i / 8, i % 8);
  }
  return row;
}

}  // namespace

TEST_CASE("the first count values are stored in channel order") {
  for (const int count : {0, 1, 5, 15, 16}) {
    CAPTURE(count);
    std::vector<std::int32_t> expected(16, -1);
    for (int i = 0; i < count; ++i) expected[static_cast<std::size_t>(i)] = 10 * i;
    std::vector<std::int32_t> out(16, -1);
    simd::write_channels<by_fours, 2>(tens().data(), out.data(), count);
    CHECK(out == expected);
  }
}

TEST_CASE("rows of accumulators are stored in channel order") {
  std::array<std::int32_t, 32> sums{};
  const std::array<std::int32_t, 16> row = tens();
  for (std::size_t i = 0; i < 16; ++i) {
    sums[i] = row[i];
    sums[16 + i] = -row[i];
  }
  std::vector<std::int32_t> expected(36, 7);
  for (int i = 0; i < 16; ++i) {
    expected[static_cast<std::size_t>(i)] = 10 * i;
    expected[static_cast<std::size_t>(20 + i)] = -10 * i;
  }
  std::vector<std::int32_t> kept(36, 7);
  simd::store_accumulator_rows<isa::native, by_fours, 2>(sums.data(), 2, kept.data(), 20, 16);
  CHECK(kept == expected);
}
