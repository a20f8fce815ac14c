// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/axis_sums.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace ctq::float_ops;

namespace {

/// 2^24 swallows single ones, so the sum tells in which order they met.
tensor ones_behind_large(extents shape) {
  tensor t = filled<float>(std::move(shape), 1.0F);
  t.data[0] = 0x1p24F;
  return t;
}

}  // namespace

// Sums of torch.sum, PyTorch 1.13.1 with AVX2.
TEST_CASE("sums along the last axis take eight lanes, or four if it is short") {
  CHECK(axis_sums(ones_behind_large({7}), {true})[0] == 16777216.0F);
  CHECK(axis_sums(ones_behind_large({2, 64}), {false, true}) ==
        std::vector<float>{16777278.0F, 64.0F});
}

TEST_CASE("sums along the first axis depend on how many columns there are") {
  const auto first = [](int rows, int columns) {
    return axis_sums(ones_behind_large({rows, columns}), {true, false})[0];
  };
  CHECK(first(40, 32) == 16777240.0F);
  CHECK(first(40, 8) == 16777246.0F);
  CHECK(first(40, 4) == 16777240.0F);
  CHECK(first(40, 1) == 16777244.0F);
}

TEST_CASE("axes that are not neighbours are added up one by one") {
  const std::vector<float> sums = axis_sums(ones_behind_large({3, 2, 40}), {true, false, true});
  REQUIRE(sums.size() == 2);
  CHECK(sums[0] == 16777324.0F);
  CHECK(sums[1] == 120.0F);
}

TEST_CASE("nothing adds up to zero, and a sum over no axis is the tensor") {
  CHECK(axis_sums(filled<float>({0, 2}), {true, false}) == std::vector<float>{0.0F, 0.0F});
  CHECK(axis_sums({{2}, {3.0F, 4.0F}}, {false}) == std::vector<float>{3.0F, 4.0F});
  CHECK(axis_sums({{}, {5.0F}}, {})[0] == 5.0F);
}
