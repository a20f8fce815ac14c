// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/observer.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace {

using namespace ctq;
using observers::any_observer;
using observers::histogram;
using observers::min_max;

const std::vector<float> data{-1.0F, 0.25F, 0.5F, 1.55F};

TEST_CASE("an observer is of the class that the record asks for") {
  any_observer o(min_max_observer<{.dtype = quint8}>::value);
  CHECK(!o.is_per_channel());
  CHECK(!o.observed());
  o.observe(data, shape(2, 2));
  CHECK(o.observed());
  CHECK(*o.calculate_qparams() == qparams{2.55F / 255.0F, 100, 0, 255});
  REQUIRE(o.get_if<min_max>() != nullptr);
  CHECK(o.get_if<min_max>()->seen().max == 1.55F);
  CHECK(o.get_if<histogram>() == nullptr);
}

TEST_CASE("every class that collects statistics can be made") {
  for (const auto type : {observer_class::min_max, observer_class::moving_average_min_max,
                          observer_class::histogram}) {
    any_observer o({type, {}});
    o.observe(data);
    CHECK(o.observed());
    CHECK(o.calculate_qparams());
    CHECK(!o.calculate_per_channel_qparams());
  }
  for (const observer_record& record : {per_channel_min_max_observer<>::value,
                                        moving_average_per_channel_min_max_observer<>::value}) {
    any_observer o(record);
    CHECK(o.is_per_channel());
    o.observe(data, shape(2, 2));
    CHECK(o.observed());
    CHECK(o.calculate_per_channel_qparams()->scale.size() == 2);
    CHECK(!o.calculate_qparams());
  }
}

TEST_CASE("a class without statistics has no parameters, and says so") {
  any_observer o(placeholder_observer<>::value);
  o.observe(data);
  CHECK(!o.observed());
  CHECK(o.calculate_qparams().error().message() ==
        "PlaceholderObserver: has no per-tensor quantization parameters");
  CHECK(!o.calculate_per_channel_qparams());
}

TEST_CASE("semantics reach the observer") {
  any_observer old({observer_class::min_max, {}}, semantics::torch_1_13);
  any_observer now({observer_class::min_max, {}});
  const std::vector<float> huge{-3e38F, 3e38F};
  old.observe(huge);
  now.observe(huge);
  CHECK(old.calculate_qparams());
  CHECK(!now.calculate_qparams());
}

}  // namespace
