// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/schedules.hpp"

#include <doctest/doctest.h>

TEST_CASE("a cosine goes from the initial rate to the minimum") {
  const ctq::cosine_schedule s{.initial = 0.2F, .steps = 10, .minimum = 0.1F};
  CHECK(s.at(0) == doctest::Approx(0.2));
  CHECK(s.at(5) == doctest::Approx(0.15));
  CHECK(s.at(2) == doctest::Approx(0.1 + 0.1 * (1 + 0.80901699) / 2));
  CHECK(s.at(10) == 0.1F);
  CHECK(s.at(1000) == 0.1F);
}
