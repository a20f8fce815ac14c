// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/scale_bounds.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "ctq/observers/observer.hpp"

using namespace ctq;
using observers::any_observer;
using observers::check_bounds;
using observers::within;

namespace {

constexpr auto bounds = dtype_with_constraints<qint8, scale_min<0x1p-12>, scale_max<2.0>>::value;
constexpr auto old = semantics::torch_1_13;

TEST_CASE("a backend's lower bound of the scale is enforced for any eps") {
  const observer_record small_eps = min_max_observer<{.dtype = qint8, .eps = 0x1p-23F}>::value;
  any_observer o(within(small_eps, bounds));
  o.observe(std::vector{-1e-6F, 1e-6F});
  CHECK(o.calculate_qparams()->scale == 0x1p-12F);
  CHECK(check_bounds(o.calculate_qparams()->scale, bounds));
  // In PyTorch only eps counts.
  CHECK(within(small_eps, bounds, old) == small_eps);
  CHECK(!check_bounds(0x1p-13F, bounds));
  CHECK(check_bounds(0x1p-13F, bounds, old));
}

TEST_CASE("an eps above the bound is kept") {
  const observer_record large_eps = min_max_observer<{.dtype = qint8, .eps = 0x1p-8F}>::value;
  CHECK(within(large_eps, bounds) == large_eps);
  CHECK(within(large_eps, {.dtype = qint8}) == large_eps);
}

TEST_CASE("a bound that is not a float32 is rounded up") {
  const dtype_with_constraints_record tenth{.dtype = qint8, .scale_min_lower_bound = 0.1000000001};
  const float eps = within(min_max_observer<>::value, tenth).args.eps;
  CHECK(eps == 0.1F);  // which is a little more
  const dtype_with_constraints_record more{.dtype = qint8, .scale_min_lower_bound = 0.10000001};
  CHECK(static_cast<double>(within(min_max_observer<>::value, more).args.eps) >= 0.10000001);
}

TEST_CASE("scale_max is enforced") {
  any_observer o(within(min_max_observer<{.dtype = qint8}>::value, bounds));
  o.observe(std::vector{-1000.0F, 1000.0F});
  const auto q = o.calculate_qparams();
  REQUIRE(q);
  CHECK(check_bounds(q->scale, bounds).error().message() ==
        "scale: 7.8431373 is above the backend's bound 2");
  CHECK(check_bounds(q->scale, bounds, old));
  CHECK(check_bounds(2.0F, bounds));  // the bound itself is allowed
  CHECK(!check_bounds(0x1.000002p1F, bounds));
}

}  // namespace
