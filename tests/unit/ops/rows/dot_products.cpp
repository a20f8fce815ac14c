// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/rows/dot_products.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ctq/core/no_contract.hpp"

using namespace ctq::descriptors::functions;

namespace {

/// Small integers: sums in any order are equal.
std::vector<float> numbers(std::size_t count, int seed) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<float>((static_cast<int>(i) * 7 + seed) % 11 - 5);
  return all;
}

/// A dot product as its documentation says.
float in_documented_order(const float* x, const float* y, std::size_t depth) {
  float sum[16]{};
  std::size_t d = 0;
  for (; d + 16 <= depth; d += 16)
    for (std::size_t l = 0; l < 16; ++l) sum[l] += ctq::no_contract(x[d + l] * y[d + l]);
  for (std::size_t half = 8; half >= 4; half /= 2)
    for (std::size_t l = 0; l < half; ++l) sum[l] += sum[l + half];
  for (; d + 4 <= depth; d += 4)
    for (std::size_t l = 0; l < 4; ++l) sum[l] += ctq::no_contract(x[d + l] * y[d + l]);
  float total = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; d < depth; ++d) total += ctq::no_contract(x[d] * y[d]);
  return total;
}

}  // namespace

TEST_CASE("each element is the product of two vectors, of any number and depth") {
  for (const std::size_t depth : {1U, 3U, 4U, 9U, 16U, 39U})
    for (const std::size_t rows : {1U, 4U, 7U})
      for (const std::size_t columns : {1U, 2U, 5U}) {
        // With gaps between vectors, and written as the transpose.
        const std::vector<float> a = numbers(rows * (depth + 2), 3);
        const std::vector<float> b = numbers(columns * (depth + 1), 5);
        std::vector<float> out(columns * rows, -99.0F);
        dot_products<ctq::isa::native>({a.data(), rows, depth + 2}, {b.data(), columns, depth + 1},
                                       depth, {out.data(), 1, rows});
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t k = 0; k < columns; ++k) {
            float sum = 0;
            for (std::size_t d = 0; d < depth; ++d)
              sum += a[i * (depth + 2) + d] * b[k * (depth + 1) + d];
            CAPTURE(depth);
            CHECK(out[k * rows + i] == sum);
          }
      }
}

TEST_CASE("the order of a sum depends on the depth alone, not on neighbours or registers") {
  constexpr std::size_t rows = 5, columns = 6;
  for (const std::size_t depth : {1U, 4U, 7U, 15U, 16U, 23U, 48U, 67U}) {
    std::vector<float> a(rows * depth), b(columns * depth);
    std::uint32_t state = 1;
    const auto fill = [&](std::vector<float>& x) {
      for (float& each : x) {
        state = state * 1664525U + 1013904223U;
        each = static_cast<float>(state >> 8) * 0x1p-20F - 8.0F;
      }
    };
    fill(a);
    fill(b);
    std::vector<float> out(rows * columns), narrow(rows * columns);
    dot_products<ctq::isa::native>({a.data(), rows, depth}, {b.data(), columns, depth}, depth,
                                   {out.data(), columns, 1});
    dot_products<ctq::isa::scalar>({a.data(), rows, depth}, {b.data(), columns, depth}, depth,
                                   {narrow.data(), columns, 1});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < columns; ++k) {
        const float expected = in_documented_order(&a[i * depth], &b[k * depth], depth);
        CAPTURE(depth);
        CHECK(out[i * columns + k] == expected);
        CHECK(narrow[i * columns + k] == expected);
      }
  }
}

TEST_CASE("terms are added to columns or to rows") {
  const float terms[] = {10, 20};
  float x[] = {1, 2, 3, 4};
  add_to_columns(x, 2, 2, terms);
  CHECK((x[0] == 11 && x[1] == 22 && x[2] == 13 && x[3] == 24));
  add_to_rows(x, 2, 2, terms);
  CHECK((x[0] == 21 && x[1] == 32 && x[2] == 33 && x[3] == 44));
  add_to_columns(x, 2, 2, nullptr);
  add_to_rows(x, 2, 2, nullptr);
  CHECK(x[3] == 44);
}
