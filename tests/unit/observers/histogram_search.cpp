// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/histogram_search.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <vector>

namespace {

using ctq::observers::histogram_search;

TEST_CASE("the error of one source bin for each target is a third of its half width cubed, twice") {
  const std::vector<float> ones(256, 1.0F);
  histogram_search search(ones, 0.0F, 256.0F, 256.0);
  CHECK(search.error({0, 255}) == 21.333330154418945);  // 256 · 2/3 · 0.5³, summed in float32
}

/// A triangle of 200 bins, and one value far to the right of it.
std::vector<float> triangle_with_outlier() {
  std::vector<float> bins(512);
  for (int i = 0; i < 512; ++i) {
    const int height = 100 - std::abs(i - 200);
    bins[static_cast<std::size_t>(i)] = static_cast<float>(height > 0 ? height : 0);
  }
  bins[511] = 1.0F;
  return bins;
}

TEST_CASE("errors and the range found are those of PyTorch 1.13.1") {
  const std::vector<float> bins = triangle_with_outlier();
  histogram_search search(bins, -2.0F, 8.0F, 256.0);
  CHECK(search.error({0, 511}) == 1.2716929912567139);
  CHECK(search.error({60, 350}) == 10.307241439819336);
  const auto [min, max] = search.best();
  CHECK(min == -0.02734375F);
  CHECK(max == 7.98046875F);
}

TEST_CASE("a range of one point has no error and is unchanged") {
  const std::vector<float> ones(64, 1.0F);
  histogram_search search(ones, 2.5F, 2.5F, 256.0);
  CHECK(search.error({0, 63}) == 0.0);
  CHECK(search.best().min == 2.5F);
  CHECK(search.best().max == 2.5F);
}

TEST_CASE("bins are dropped as long as the error does not grow, also if it stays the same") {
  const std::vector<float> ones(64, 1.0F);
  histogram_search search(ones, 0.0F, 0x1p-60F, 256.0);  // errors underflow to 0
  CHECK(search.error({0, 63}) == 0.0);
  const auto [min, max] = search.best();
  CHECK(max - min <= 0x1p-59F / 64);
}

TEST_CASE("an empty histogram is not clipped") {
  const std::vector<float> none(64);
  histogram_search search(none, -1.0F, 1.0F, 256.0);
  CHECK(search.best().min == -1.0F);
  CHECK(search.best().max == 1.0F);
}

}  // namespace
