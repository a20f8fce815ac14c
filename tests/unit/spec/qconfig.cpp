// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/qconfig.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

using activation = histogram_observer<{.reduce_range = true}>;
using weight = per_channel_min_max_observer<>;
using usual = qconfig<activation, weight>;

static_assert(usual::quantizes);
static_assert(usual::value.activation == activation::value);
static_assert(usual::value.weight == weight::value);
static_assert(!qconfig_none::quantizes);

// Equal by what they say, not by where they were written.
static_assert(usual::value == qconfig<histogram_observer<{.reduce_range = true}>,
                                      per_channel_min_max_observer<{.dtype = qint8}>>::value);
static_assert(usual::value != qconfig<histogram_observer<>, weight>::value);
static_assert(usual::value != qconfig<activation, min_max_observer<{.dtype = qint8}>>::value);

// An output may be observed in another way than the inputs.
using to_float = qconfig<activation, weight, placeholder_observer<>>;
static_assert(usual::value.for_output() == activation::value);
static_assert(to_float::value.for_output() == placeholder_observer<>::value);
static_assert(to_float::value != usual::value);

// What is no observer is reported by validate.
static_assert(qconfig<observer_args, weight>::value ==
              qconfig_record{not_an_observer, weight::value});
static_assert(qconfig<activation, usual>::value.weight == not_an_observer);

TEST_CASE("no qconfig has no observers") {
  CHECK(qconfig_none::value.activation.type == observer_class::none);
  CHECK(qconfig_none::value.weight.type == observer_class::none);
}

}  // namespace
