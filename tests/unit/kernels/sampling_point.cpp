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
