// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/validate_config.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "spec/config_findings.hpp"

using namespace ctq;
using namespace spec_tests;

namespace {

template <dtype D, class... Constraint>
using of = dtype_with_constraints<D, Constraint...>;
using u8 = of<quint8>;
using s8 = of<qint8>;
using real = of<f32>;
using half = of<f16>;

template <class... Part>
using linear = backend_pattern_config<pattern<nn::linear>, dtype_configs<dtype_config<Part...>>>;
template <class... Constraint>
using linear_u8 = linear<input_dtype<of<quint8, Constraint...>>>;

// --- Bounds --------------------------------------------------------------------------------------

static_assert(is_fine<linear_u8<quant_min<0>, quant_max<127>, scale_min<0x1p-12>, scale_max<1.0>>>);
static_assert(is_fine<linear_u8<quant_min<7>, quant_max<7>, scale_min<0.5>, scale_max<0.5>>>);
static_assert(says<linear_u8<quant_max<256>>>(
    "error: input_dtype.quant_max_upper_bound: 256 is outside quint8, which holds 0 to 255 "
    "[quant-bounds-outside-dtype]"));
static_assert(says<linear<output_dtype<of<qint8, quant_min<-129>>>>>(
    "error: output_dtype.quant_min_lower_bound: -129 is outside qint8, which holds -128 to 127 "
    "[quant-bounds-outside-dtype]"));
static_assert(
    breaks<linear<weight_dtype<of<f32, quant_max<3>>>>>(rule::quant_bounds_outside_dtype));
static_assert(says<linear_u8<quant_min<100>, quant_max<99>>>(
    "error: input_dtype.quant_min_lower_bound: 100 is above quant_max_upper_bound, 99 "
    "[quant-bounds-reversed]"));
static_assert(says<linear_u8<scale_min<0.5>, scale_max<0.25>>>(
    "error: input_dtype.scale_min_lower_bound: 0.5 is above scale_max_upper_bound, 0.25 "
    "[scale-bounds-reversed]"));
static_assert(says<linear_u8<scale_max<-1.0>>>(
    "error: input_dtype.scale_max_upper_bound: -1 is not a positive, finite float32 "
    "[scale-not-positive]"));
static_assert(breaks<linear_u8<scale_max<1e39>>>(rule::scale_not_positive));
static_assert(
    breaks<linear<input_dtype<of<dtype::none, scale_min<0.5>>>>>(rule::constraint_without_dtype));

TEST_CASE("a scale that is not a number is not one") {
  for (const double v :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    dtype_with_constraints_record c{.dtype = quint8};
    c.scale_min_lower_bound = v;
    findings found;
    rules::constraints(found, {}, "input_dtype", c);
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == rule::scale_not_positive);
  }
}

// --- One fixed pair --------------------------------------------------------------------------

static_assert(is_fine<linear_u8<exact_qparams<0x1p-8, 0>>>);
static_assert(is_fine<linear_u8<exact_qparams<0x1p-8, 255>>>);
static_assert(breaks<linear_u8<exact_qparams<0x1p-8, -1>>>(rule::exact_match));
static_assert(breaks<linear_u8<exact_qparams<0x1p-8, 256>>>(rule::exact_match));
static_assert(breaks<linear_u8<exact_qparams<0.0, 0>>>(rule::scale_not_positive));

TEST_CASE("half of an exact pair is no pair") {
  dtype_with_constraints_record c{.dtype = quint8};
  c.scale_exact_match = 0.5;
  dtype_with_constraints_record d{.dtype = quint8};
  d.zero_point_exact_match = 3;
  for (const dtype_with_constraints_record& half_given : {c, d}) {
    findings found;
    rules::constraints(found, {}, "input_dtype", half_given);
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == rule::exact_match);
  }
}

// --- Dtypes that go together --------------------------------------------------------------------

template <class In, class Out, class Weight, dtype Bias = f32, class... More>
using linear_of =
    linear<input_dtype<In>, output_dtype<Out>, weight_dtype<Weight>, bias_dtype<Bias>, More...>;
static_assert(is_fine<linear_of<u8, u8, s8>> && is_fine<linear_of<s8, s8, s8>>);
static_assert(is_fine<linear_of<half, half, half, f16>> && is_fine<linear_of<real, real, s8>>);
static_assert(is_fine<linear_of<u8, real, s8, f32, is_dynamic>>);
static_assert(is_fine<linear_of<half, real, half, f32, is_dynamic>>);
static_assert(is_fine<linear<input_dtype<u8>>> && is_fine<linear<>>);
static_assert(breaks<linear_of<u8, u8, u8>>(rule::no_kernel_signature));
static_assert(breaks<linear_of<u8, s8, s8>>(rule::no_kernel_signature));
static_assert(breaks<linear_of<half, half, s8, f16>>(rule::no_kernel_signature));
static_assert(breaks<linear_of<u8, u8, s8, quint8>>(rule::no_kernel_signature));
static_assert(breaks<linear_of<of<qint32>, of<qint32>, s8>>(rule::no_kernel_signature));
static_assert(breaks<linear_of<u8, half, s8>>(rule::no_kernel_signature));
static_assert(breaks<linear_of<u8, real, half, f32, is_dynamic>>(rule::no_kernel_signature));
static_assert(breaks<linear_of<u8, u8, s8, f32, is_dynamic>>(rule::dynamic_quantized_output));

// --- Weights -----------------------------------------------------------------------------------

template <auto... Op>
using weighted = backend_pattern_config<
    pattern<Op...>,
    dtype_configs<dtype_config<input_dtype<u8>, output_dtype<u8>, weight_dtype<s8>>>>;
static_assert(is_fine<weighted<fn::linear, nn::relu>>);
static_assert(
    says<weighted<nn::max_pool2d>>("error: weight_dtype: qint8 is given, but no op of "
                                   "the pattern has a weight "
                                   "[weight-dtype-without-weight]"));
static_assert(is_fine<weighted<op::add, nn::relu>> && is_fine<weighted<nn::sigmoid>>);  // PyTorch

static_assert(is_fine<weighted<gate>>);  // who knows

// --- The rest ----------------------------------------------------------------------------------

template <class Pattern, class... Part>
using with = backend_pattern_config<Pattern, Part...>;

static_assert(is_fine<with<pattern<nn::max_pool2d>, share_observer_with_input>>);
static_assert(
    breaks<with<pattern<nn::softmax>, share_observer_with_input>>(rule::share_observer_range));
static_assert(breaks<with<pattern<nn::conv2d, nn::relu>, share_observer_with_input>>(
    rule::share_observer_range));
static_assert(breaks<with<pattern<fn::linear>, input_type_to_index<{.weight = 2, .bias = 2}>>>(
    rule::input_index));
static_assert(
    breaks<with<pattern<fn::linear>, input_type_to_index<{.weight = -2}>>>(rule::input_index));
static_assert(breaks<with<pattern<match_all>>>(rule::pattern_form));

TEST_CASE("an empty pattern is none") {
  findings found;
  rules::pattern_config(found, 0, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == rule::pattern_form);
}

}  // namespace
