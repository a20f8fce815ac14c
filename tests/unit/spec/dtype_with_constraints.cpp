// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/dtype_with_constraints.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

constexpr auto plain = dtype_with_constraints<quint8>::value;
static_assert(plain.dtype == quint8);
static_assert(!plain.quant_min_lower_bound.given && !plain.quant_max_upper_bound.given);
static_assert(!plain.scale_min_lower_bound.given && !plain.scale_max_upper_bound.given);

constexpr auto full = dtype_with_constraints<qint8, quant_min<-127>, quant_max<127>,
                                             scale_min<0x1p-12>, scale_max<4.0>>::value;
static_assert(full.quant_min_lower_bound == optional_int{-127});
static_assert(full.quant_max_upper_bound == optional_int{127});
static_assert(full.scale_min_lower_bound == optional_real{0x1p-12});
static_assert(full.scale_max_upper_bound == optional_real{4.0});

// The order of the constraints does not matter, a bound of zero is a bound.
static_assert(dtype_with_constraints<qint8, scale_max<4.0>, quant_max<127>, scale_min<0x1p-12>,
                                     quant_min<-127>>::value == full);
static_assert(dtype_with_constraints<quint8, quant_min<0>>::value.quant_min_lower_bound.given);
static_assert(dtype_with_constraints<quint8, quant_min<0>>::value != plain);

static_assert(dtype_with_constraints_record{}.dtype == dtype::none);

TEST_CASE("a record made at run time equals the one made of types") {
  dtype_with_constraints_record r;
  r.dtype = qint8;
  r.quant_min_lower_bound = -127;
  r.quant_max_upper_bound = 127;
  r.scale_min_lower_bound = 0x1p-12;
  CHECK(r != full);
  r.scale_max_upper_bound = 4.0;
  CHECK(r == full);
}

}  // namespace
