// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/fixed_qparams.hpp"

#include <doctest/doctest.h>

using namespace ctq;
using observers::fixed_qparams;

namespace {

TEST_CASE("observed data changes nothing") {
  fixed_qparams o{{.quant_min = 0, .quant_max = 255, .scale = 0x1p-7F, .zero_point = 128}};
  CHECK(o.observed());
  const float data[] = {-100.0F, 1e30F};
  o.observe(data);
  const auto q = o.calculate_qparams();
  REQUIRE(q);
  CHECK(*q == qparams{0x1p-7F, 128, 0, 255});
}

TEST_CASE("the zero point may be any integer of the range") {
  for (const int zero_point : {0, 1, 255})
    CHECK(
        fixed_qparams{{.scale = 1.0F, .zero_point = zero_point}}.calculate_qparams()->zero_point ==
        zero_point);
}

TEST_CASE("an invalid scale or zero point is an error") {
  CHECK(fixed_qparams{{.scale = 0.0F}}.calculate_qparams().error().message() ==
        "FixedQParamsObserver: the scale is not positive");
  CHECK(fixed_qparams{{.scale = 1.0F, .zero_point = 256}}.calculate_qparams().error().cause ==
        "the zero point is outside the range of the dtype");
  CHECK_FALSE(
      fixed_qparams{{.dtype = qint8, .scale = 1.0F, .zero_point = -129}}.calculate_qparams());
}

}  // namespace
