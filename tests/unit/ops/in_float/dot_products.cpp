// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/in_float/dot_products.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq::descriptors::functions;

namespace {

/// Small integers: sums in any order are equal.
std::vector<float> numbers(std::size_t count, int seed) {
  std::vector<float> all(count);
  for (std::size_t i = 0; i < count; ++i)
    all[i] = static_cast<float>((static_cast<int>(i) * 7 + seed) % 11 - 5);
  return all;
}

}  // namespace

TEST_CASE("each element is the product of two vectors, of any number and depth") {
  for (const std::size_t depth : {1U, 3U, 4U, 9U})
    for (const std::size_t rows : {1U, 4U, 7U})
      for (const std::size_t columns : {1U, 2U, 5U}) {
        // With gaps between vectors, and written as the transpose.
        const std::vector<float> a = numbers(rows * (depth + 2), 3);
        const std::vector<float> b = numbers(columns * (depth + 1), 5);
        std::vector<float> out(columns * rows, -99.0F);
        dot_products({a.data(), rows, depth + 2}, {b.data(), columns, depth + 1}, depth,
                     {out.data(), 1, rows});
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

TEST_CASE("the order of a sum does not depend on its neighbours") {
  const std::vector<float> a{1e8F, 1, 2, 3, -1e8F, 5, 6, 7, 0.25F};
  std::vector<float> five;
  for (int i = 0; i < 5; ++i) five.insert(five.end(), a.begin(), a.end());
  const std::vector<float> ones(9, 1.0F);
  float alone = 0;
  std::vector<float> together(5);
  dot_products({a.data(), 1, 9}, {ones.data(), 1, 9}, 9, {&alone, 1, 1});
  dot_products({five.data(), 5, 9}, {ones.data(), 1, 9}, 9, {together.data(), 1, 1});
  // Lanes 0 to 3 are 0, 6, 8 and 10.
  CHECK(alone == 24.25F);
  for (const float x : together) CHECK(x == alone);
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
