// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/sampling_point.hpp"

#include <doctest/doctest.h>

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("nearest takes the element that begins before, nearest-exact the one in the middle") {
  const float scale = 3.0F / 5.0F;
  const int plain[] = {0, 0, 1, 1, 2}, exact[] = {0, 0, 1, 2, 2};
  for (int i = 0; i < 5; ++i) {
    CHECK(sampling_point_of(i, 3, scale, sampling_rule::nearest).a == plain[i]);
    CHECK(sampling_point_of(i, 3, scale, sampling_rule::nearest_exact).a == exact[i]);
  }
  CHECK(sampling_point_of(1000, 3, 0x1p100F, sampling_rule::nearest) == sampling_point{2, 2, 0});
}

TEST_CASE("linear weighs two neighbours, and nothing outside") {
  using enum sampling_rule;
  CHECK(sampling_point_of(0, 4, 0.5F, linear) == sampling_point{0, 1, 0.0F});
  CHECK(sampling_point_of(1, 4, 0.5F, linear) == sampling_point{0, 1, 0.25F});
  CHECK(sampling_point_of(6, 4, 0.5F, linear) == sampling_point{2, 3, 0.75F});
  CHECK(sampling_point_of(7, 4, 0.5F, linear) == sampling_point{3, 3, 0.25F});
  CHECK(sampling_point_of(2, 3, 1.0F, linear_aligned) == sampling_point{2, 2, 0.0F});
  CHECK(interpolated({0, 1, 0.25F}, 8.0F, 4.0F) == 7.0F);
  CHECK(interpolated({3, 3, 0.25F}, 8.0F, 4.0F) == 8.0F);
}

TEST_CASE("cubic weighs four neighbours, and has those at the ends beyond them") {
  using enum sampling_rule;
  const cubic_point on = cubic_point_of(3, 7, 1.0F, cubic_aligned);
  CHECK(on == cubic_point{{2, 3, 4, 5}, {0, 1, 0, 0}});
  const cubic_point between = cubic_point_of(0, 4, 0.5F, cubic);  // at -0.25
  CHECK(between ==
        cubic_point{{0, 0, 0, 1}, {-0.03515625F, 0.26171875F, 0.87890625F, -0.10546875F}});
  CHECK(cubic_point_of(9, 4, 0.5F, cubic).index[3] == 3);
  CHECK(cubic_point_of(1000, 3, 0x1p100F, cubic) == cubic_point{{1, 2, 2, 2}, {0, 0, 1, 0}});
  CHECK(interpolated(on, {7, 5, 3, 1}) == 5.0F);
  CHECK(interpolated(cubic_point{{0, 1, 2, 3}, {-0.25F, 0.5F, 1, -0.25F}}, {4, 2, 8, 4}) == 7.0F);
}
