// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/concat.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

template <class T>
void compare(concat_shape shape) {
  CAPTURE(shape.rows);
  CAPTURE(shape.in_width);
  CAPTURE(shape.out_width);
  const auto in_size = static_cast<std::size_t>(shape.rows * shape.in_width);
  const auto out_size = static_cast<std::size_t>(shape.rows * shape.out_width);
  std::vector<T> numbers(in_size), before(out_size);
  for (std::size_t i = 0; i < in_size; ++i) numbers[i] = static_cast<T>(i % 101);
  const samples::fenced in(numbers);
  for (std::size_t i = 0; i < out_size; ++i) before[i] = static_cast<T>(i % 97);
  std::vector<T> expected = before;
  reference::concat(shape, in.data(), expected.data());
  samples::guarded<T> out(before);
  simd::concat<isa::native>(shape, in.data(), out.data());
  CHECK(out.holds(expected));
}

}  // namespace

TEST_CASE("concat leaves the other columns unchanged") {
  const std::vector<int> in = {1, 2, 3, 4};
  std::vector<int> out(10, 0);
  reference::concat({.rows = 2, .in_width = 2, .out_width = 5, .offset = 1}, in.data(), out.data());
  CHECK(out == std::vector<int>{0, 1, 2, 0, 0, 0, 3, 4, 0, 0});
}

TEST_CASE_TEMPLATE("simd concat copies as the reference", T, std::uint8_t, std::int8_t, float) {
  for (int width = 0; width <= 140; ++width) {
    for (const int rows : {0, 1, 2, 5}) {
      compare<T>({.rows = rows, .in_width = width, .out_width = width, .offset = 0});
      compare<T>({.rows = rows, .in_width = width, .out_width = width + 3, .offset = 1});
      compare<T>({.rows = rows, .in_width = width, .out_width = 3 * width, .offset = 2 * width});
    }
  }
}

TEST_CASE_TEMPLATE("simd concat copies rows of any width", T, std::uint8_t, std::int8_t, float) {
  samples::for_each_seed(samples::seeds(100), [](samples::generator& random, unsigned) {
    const int width = random.between(0, 200), before = random.between(0, 70);
    compare<T>({.rows = random.between(0, 4),
                .in_width = width,
                .out_width = before + width + random.between(0, 70),
                .offset = before});
  });
}
