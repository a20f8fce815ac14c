// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/histogram_growth.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

using ctq::semantics;
using ctq::observers::extrema;
using ctq::observers::grow;
using ctq::observers::spread;

std::vector<float> spread_of(const std::vector<float>& old, std::int64_t upsample,
                             std::int64_t downsample, std::int64_t start) {
  std::vector<float> bins(old.size(), -1.0F);
  spread(old, upsample, downsample, start, [&](std::size_t i, float v) { bins[i] = v; });
  return bins;
}

TEST_CASE("the new range is the union, widened to whole parts") {
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    const extrema old{0.0F, 4.0F, false};
    const auto right = grow(old, {1.0F, 8.0F, false}, 4, 2, s);
    CHECK(right.min == 0.0F);
    CHECK(right.max == 8.0F);
    CHECK(right.downsample == 4.0F);
    CHECK(right.start == 0.0F);
    const auto left = grow(old, {-3.0F, 1.0F, false}, 4, 2, s);
    CHECK(left.min == -3.0F);
    CHECK(left.max == 5.0F);  // 7 wide, widened to 4 new bins of 4 half units
    CHECK(left.start == 6.0F);
    const auto same = grow(old, {1.0F, 2.0F, false}, 4, 2, s);
    CHECK(same.min == 0.0F);
    CHECK(same.max == 4.0F);
  }
}

TEST_CASE("the old range starts at the nearest part, of two the even one") {
  for (const auto s : {semantics::torch_2_1, semantics::torch_1_13}) {
    const extrema old{0.0F, 4.0F, false};  // 8 parts of 0.5
    const auto start = [&](float min) { return grow(old, {min, 1.0F, false}, 4, 2, s).start; };
    CHECK(start(-3.3F) == 7.0F);
    CHECK(start(-3.2F) == 6.0F);
    CHECK(start(-3.25F) == 6.0F);
    CHECK(start(-3.75F) == 8.0F);
  }
}

TEST_CASE("a huge range grows like a small one in 2.1") {
  const extrema old{0.0F, 1.0F, false};
  const auto wanted = grow(old, {-0.3F, 2.5F, false}, 2048, 128, semantics::torch_2_1);
  const auto huge = grow({0.0F, 0x1p120F, false}, {-0.3F * 0x1p120F, 2.5F * 0x1p120F, false}, 2048,
                         128, semantics::torch_2_1);
  CHECK(huge.downsample == wanted.downsample);
  CHECK(huge.start == wanted.start);
  CHECK(huge.max == wanted.max * 0x1p120F);
}

TEST_CASE("a denormal range has no parts in 1.13") {
  const extrema old{0.0F, 1e-44F, false};
  const extrema now{0.0F, 1e-40F, false};
  CHECK(!std::isfinite(grow(old, now, 2048, 128, semantics::torch_1_13).downsample));
  CHECK(std::isfinite(grow(old, now, 2048, 128, semantics::torch_2_1).downsample));
}

TEST_CASE("old bins are spread over the new ones") {
  CHECK(spread_of({1, 1, 1, 1}, 2, 4, 0) == std::vector<float>{2, 2, 0, 0});
  CHECK(spread_of({1, 1, 1, 1}, 2, 4, 8) == std::vector<float>{0, 0, 2, 2});
  CHECK(spread_of({1, 2, 3, 4}, 2, 3, 1) == std::vector<float>{1, 3.5F, 5.5F, 0});
  CHECK(spread_of({8, 0, 0, 8}, 4, 5, 2) == std::vector<float>{6, 2, 2, 6});
}

TEST_CASE("the sum up to the previous bin is rounded to float32, that up to this one is not") {
  CHECK(spread_of({0x1p24F, 1, 1, 1}, 1, 1, 0) == std::vector<float>{0x1p24F, 1, 2, 1});
}

TEST_CASE("counts that rounding pushes past the last bin are added to it") {
  CHECK(spread_of({1, 1, 1, 1}, 2, 2, 1) == std::vector<float>{0.5F, 1, 1, 1.5F});
  CHECK(spread_of({1, 1, 1, 1}, 2, 2, 20) == std::vector<float>{0, 0, 0, 4});
}

}  // namespace
