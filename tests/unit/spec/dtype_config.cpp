// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/dtype_config.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

using act = dtype_with_constraints<quint8, quant_min<0>, quant_max<127>>;
using weights = dtype_with_constraints<qint8>;

constexpr auto full = dtype_config<input_dtype<act>, output_dtype<act>, weight_dtype<weights>,
                                   bias_dtype<f32>>::value;
static_assert(full.input_dtype == act::value && full.output_dtype == act::value);
static_assert(full.weight_dtype == weights::value && full.bias_dtype == f32 && !full.is_dynamic);

// What is left out is not asked for.
constexpr auto none = dtype_config<>::value;
static_assert(none.input_dtype.dtype == dtype::none && none.output_dtype.dtype == dtype::none);
static_assert(none.weight_dtype.dtype == dtype::none && none.bias_dtype == dtype::none);

constexpr auto dynamic = dtype_config<input_dtype<act>, is_dynamic>::value;
static_assert(dynamic.is_dynamic && dynamic != dtype_config<input_dtype<act>>::value);

TEST_CASE("the parts of a dtype config come in any order") {
  CHECK(dtype_config<bias_dtype<f32>, weight_dtype<weights>, output_dtype<act>,
                     input_dtype<act>>::value == full);
}

}  // namespace
