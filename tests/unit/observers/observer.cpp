// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/observer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace ctq;
using observers::any_observer;
using observers::histogram;
using observers::min_max;

const std::vector<float> data{-1.0F, 0.25F, 0.5F, 1.55F};

TEST_CASE("an observer has the class given by its record") {
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

TEST_CASE("every class with statistics can be constructed") {
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

TEST_CASE("a class without statistics returns an error instead of parameters") {
  for (const auto type : {observer_class::none, observer_class::placeholder, observer_class::noop,
                          observer_class::recording, observer_class::reuse_input}) {
    any_observer o({type, {}});
    o.observe(data);
    CHECK(o.calculate_qparams().error().message() ==
          std::string(name_of(type)) + ": has no per-tensor quantization parameters");
    CHECK(!o.calculate_per_channel_qparams());
    CHECK(o.observed() == (type == observer_class::recording));
  }
}

TEST_CASE("a user-defined class is also selected by name") {
  any_observer o(power_of_two_histogram_observer<>::value);
  o.observe(data);
  REQUIRE(o.get_if<observers::power_of_two_histogram>() != nullptr);
  CHECK(o.calculate_qparams());
}

TEST_CASE("observers with equal records merge, if their class supports it") {
  for (int c = 0; c < observer_class_count; ++c) {
    const auto type = static_cast<observer_class>(c);
    const bool depends_on_order = type == observer_class::histogram ||
                                  type == observer_class::moving_average_min_max ||
                                  type == observer_class::moving_average_per_channel_min_max;
    any_observer a({type, {}}), b({type, {}}), other({type, {.quant_min = 0, .quant_max = 7}});
    CHECK(a.merge(b).has_value() == !depends_on_order);
    CHECK(a.merge(other).error().cause ==
          "can only be merged with an observer with the same record");
    if (depends_on_order)
      CHECK(a.merge(b).error().cause == "depends on the order of the data and cannot be merged");
  }
  any_observer a(min_max_observer<>::value), b(min_max_observer<>::value);
  a.observe(std::vector{-1.0F});
  b.observe(std::vector{1.55F});
  REQUIRE(a.merge(b));
  CHECK(*a.calculate_qparams() == qparams{2.55F / 255.0F, 100, 0, 255});
}

TEST_CASE("semantics are passed to the observer") {
  any_observer old({observer_class::min_max, {}}, semantics::torch_1_13);
  any_observer now({observer_class::min_max, {}});
  const std::vector<float> huge{-3e38F, 3e38F};
  old.observe(huge);
  now.observe(huge);
  CHECK(old.calculate_qparams());
  CHECK(!now.calculate_qparams());
}

}  // namespace
