// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/table_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ctq/kernels/reference/embedding.hpp"
#include "kernels/samples.hpp"
#include "kernels/with_registers.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

template <class Isa>
constexpr int lanes = simd::float_lanes<Isa>;

template <class Isa>
void check_registers(int bits, int is_signed) {
  CAPTURE(bits);
  const embedding_shape s{.rows = 5, .width = 128, .bits = bits, .is_signed = is_signed};
  const samples::fenced rows(samples::integers<std::uint8_t>(5 * 128 * 4, 1));
  const samples::fenced floats(samples::plain_floats(5 * 128, 2));
  const auto scale = samples::plain_floats(5, 3), zero_point = samples::plain_floats(5, 4);
  const embedding_table t{bits == 32 ? static_cast<const void*>(floats.data()) : rows.data(),
                          scale.data(), zero_point.data()};
  simd::embeddings::with_table<Isa>(s, [&](auto type, auto) {
    const typename decltype(type)::type table(s, t);
    for (int row = 0; row < s.rows; ++row) {
      batch<Isa, float> y[64 / lanes<Isa>], one[1];
      float out[64];
      table[row].load(64, y);
      for (int j = 0; j < 64 / lanes<Isa>; ++j) y[j].store_unaligned(out + j * lanes<Isa>);
      for (int x = 0; x < 64; ++x) CHECK(out[x] == reference::table_value(s, t, row, 64 + x));
      table[row].load(128 - lanes<Isa>, one);
      one[0].store_unaligned(out);
      for (int x = 0; x < lanes<Isa>; ++x)
        CHECK(out[x] == reference::table_value(s, t, row, 128 - lanes<Isa> + x));
    }
  });
}

template <class Isa>
void check_columns(int bits, int width) {
  CAPTURE(bits);
  CAPTURE(width);
  simd::embeddings::with_table<Isa>({.width = width, .bits = bits}, [&](auto table, auto blocks) {
    std::vector<int> visits(static_cast<std::size_t>(width));
    int alone = 0;
    simd::embeddings::for_columns<Isa, blocks, typename decltype(table)::type>(
        width,
        [&](std::ptrdiff_t x, auto count) {
          if (bits == 4) CHECK(x % 2 == 0);
          REQUIRE(x + count * lanes<Isa> <= width);
          for (int i = 0; i < count * lanes<Isa>; ++i) ++visits[static_cast<std::size_t>(x + i)];
        },
        [&](std::ptrdiff_t x) {
          for (; x < width; ++x, ++alone) ++visits[static_cast<std::size_t>(x)];
        });
    CHECK(std::find(visits.begin(), visits.end(), 0) == visits.end());
    CHECK(alone == (width < lanes<Isa> ? width : bits == 4 ? width % 2 : 0));
  });
}

}  // namespace

TEST_CASE("registers of a row hold the elements of the table") {
  samples::with_registers([]<class Isa>(std::type_identity<Isa>) {
    for (const int bits : {4, 8, 32}) check_registers<Isa>(bits, 0);
    check_registers<Isa>(8, 1);
  });
}

TEST_CASE("all columns are visited, in registers wherever they fill one") {
  samples::with_registers([]<class Isa>(std::type_identity<Isa>) {
    for (const int bits : {4, 8, 32})
      for (int width = 1; width <= 200; ++width) check_columns<Isa>(bits, width);
  });
}
