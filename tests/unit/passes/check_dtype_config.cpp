// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/check_dtype_config.hpp"

#include <doctest/doctest.h>

using namespace ctq;

namespace {

using clause = rejection::clause;
using value = rejection::value;

template <class... Constraint>
using u8 = dtype_with_constraints<quint8, Constraint...>;
template <class... Constraint>
using s8 = dtype_with_constraints<qint8, Constraint...>;

template <class In, class Out = In, class Weight = s8<>>
constexpr dtype_config_record config =
    dtype_config<input_dtype<In>, output_dtype<Out>, weight_dtype<Weight>>::value;

template <observer_args Args = observer_args{},
          observer_args Weight = observer_args{.dtype = qint8}>
constexpr qconfig_record with = qconfig<min_max_observer<Args>, min_max_observer<Weight>>::value;

constexpr bool is(const rejection& r, clause why, value of, double asked, double allowed) {
  return r.why == why && r.of == of && r.asked == asked && r.allowed == allowed;
}
constexpr bool fits(const rejection& r) { return r.why == clause::none; }
constexpr double number(dtype d) { return static_cast<double>(d); }

// dtypes
static_assert(fits(accepts(config<u8<>>, with<>, true)));
static_assert(is(accepts(config<s8<>>, with<>, true), clause::dtype, value::input, number(quint8),
                 number(qint8)));
static_assert(is(accepts(config<u8<>, s8<>>, with<>, true), clause::dtype, value::output,
                 number(quint8), number(qint8)));
static_assert(is(accepts(config<u8<>, u8<>, u8<>>, with<>, true), clause::dtype, value::weight,
                 number(qint8), number(quint8)));
// Without a weight, what is said about weights does not matter.
static_assert(fits(accepts(config<u8<>, u8<>, u8<>>, with<>, false)));
// A config that says nothing accepts anything.
static_assert(fits(accepts(dtype_config_record{}, with<>, true)));

// Nor without a bias what is said about biases.
constexpr dtype_config_record half_bias =
    dtype_config<input_dtype<u8<>>, output_dtype<u8<>>, bias_dtype<f16>>::value;
static_assert(fits(accepts(half_bias, with<>, true)));
static_assert(is(accepts(half_bias, {.activation = true, .bias = true}, dtypes_of(with<>), quint8,
                         with<>),
                 clause::dtype, value::bias, number(f32), number(f16)));

// integers: equal bounds fit, one step outside does not
static_assert(fits(accepts(config<u8<quant_min<0>, quant_max<255>>>, with<>, true)));
static_assert(is(accepts(config<u8<quant_min<0>, quant_max<127>>>, with<>, true), clause::quant_max,
                 value::input, 255, 127));
static_assert(is(accepts(config<u8<quant_min<1>, quant_max<255>>>, with<>, true), clause::quant_min,
                 value::input, 0, 1));
static_assert(fits(accepts(config<u8<quant_min<0>, quant_max<127>>>,
                           with<observer_args{.quant_min = 0, .quant_max = 127}>, true)));
static_assert(fits(accepts(config<u8<quant_min<0>, quant_max<127>>>,
                           with<observer_args{.reduce_range = true}>, true)));
static_assert(is(accepts(config<u8<>, u8<>, s8<quant_min<-127>, quant_max<127>>>, with<>, true),
                 clause::quant_min, value::weight, -128, -127));
static_assert(is(accepts(config<u8<>, u8<quant_min<0>, quant_max<127>>>, with<>, true),
                 clause::quant_max, value::output, 255, 127));
// PyTorch tests the range only if both ends are given.
static_assert(fits(accepts(config<u8<quant_max<127>>>, with<>, true)));
static_assert(fits(accepts(config<u8<quant_min<1>>>, with<>, true)));

// scales: an observer promises its eps
static_assert(is(accepts(config<u8<scale_min<0x1p-12>>>, with<>, true), clause::scale_min,
                 value::input, 0x1p-23, 0x1p-12));
static_assert(fits(accepts(config<u8<scale_min<0x1p-12>>>, with<observer_args{.eps = 0x1p-12F}>,
                           true)));
static_assert(is(accepts(config<u8<>, u8<>, s8<scale_min<0x1p-12>>>,
                         with<observer_args{}, observer_args{.dtype = qint8, .eps = 0x1p-13F}>,
                         true),
                 clause::scale_min, value::weight, 0x1p-13, 0x1p-12));
static_assert(fits(accepts(config<u8<scale_max<0x1p-30>>>, with<>, true)));  // convert checks it

// dynamic
constexpr dtype_config_record dynamic = dtype_config<input_dtype<u8<>>, is_dynamic>::value;
constexpr qconfig_record dynamic_qconfig =
    qconfig<placeholder_observer<{.dtype = quint8, .is_dynamic = true}>,
            min_max_observer<{.dtype = qint8}>>::value;
static_assert(is(accepts(dynamic, with<>, true), clause::is_dynamic, value::input, 0, 1));
// A placeholder promises its eps, too, as from PyTorch 2.1 on.
constexpr dtype_config_record dynamic_with_bound =
    dtype_config<input_dtype<u8<scale_min<0x1p-12>>>, is_dynamic>::value;
template <float Eps>
constexpr qconfig_record placeholder_with =
    qconfig<placeholder_observer<{.dtype = quint8, .eps = Eps, .is_dynamic = true}>,
            min_max_observer<{.dtype = qint8}>>::value;
static_assert(fits(accepts(dynamic_with_bound, placeholder_with<0x1p-12F>, true)));
static_assert(is(accepts(dynamic_with_bound, placeholder_with<0x1p-13F>, true), clause::scale_min,
                 value::input, 0x1p-13, 0x1p-12));
static_assert(is(accepts(config<u8<>>, dynamic_qconfig, true), clause::is_dynamic, value::input, 1,
                 0));
static_assert(fits(accepts(dynamic, dynamic_qconfig, true)));
// Its output is float, whatever the config says.
static_assert(fits(accepts(
    dtype_config<input_dtype<u8<>>, output_dtype<dtype_with_constraints<f32>>, is_dynamic>::value,
    dynamic_qconfig, true)));

// An observer without integers cannot promise a range.
static_assert(
    accepts(dtype_config<input_dtype<u8<quant_min<0>, quant_max<255>>>, is_dynamic>::value,
            dynamic_qconfig, true)
        .why == clause::no_range);

// The first clause that fails is told: input before weight before output.
static_assert(accepts(config<s8<>, s8<>, u8<>>, with<>, true).of == value::input);
static_assert(accepts(config<u8<>, s8<>, u8<>>, with<>, true).of == value::weight);

TEST_CASE("records from a file are judged alike") {
  dtype_config_record c;
  c.input_dtype.dtype = quint8;
  c.input_dtype.quant_min_lower_bound = 0;
  c.input_dtype.quant_max_upper_bound = 127;
  qconfig_record q = with<>;
  CHECK(accepts(c, q, true).why == clause::quant_max);
  q.activation.args.quant_min = 0;
  q.activation.args.quant_max = 127;
  CHECK(accepts(c, q, true).why == clause::none);
  q.activation.args.reduce_range = true;  // halves what was asked for
  CHECK(accepts(c, q, true).why == clause::none);
}

// A fixed pair is asked of the observers that have one.
using sigmoid_dtype =
    dtype_with_constraints<quint8, quant_min<0>, quant_max<255>, exact_qparams<0x1p-8, 0>>;
constexpr dtype_config_record sigmoid_config =
    dtype_config<input_dtype<sigmoid_dtype>, output_dtype<sigmoid_dtype>>::value;
template <class Activation>
constexpr rejection of_sigmoid = accepts(sigmoid_config,
                                         qconfig<Activation, min_max_observer<>>::value, false);

static_assert(of_sigmoid<fixed_qparams_observer<{.scale = 0x1p-8F}>>.why ==
              rejection::clause::none);
static_assert(of_sigmoid<fixed_qparams_observer<{.scale = 0x1p-7F}>>.why ==
              rejection::clause::exact_match);
static_assert(of_sigmoid<fixed_qparams_observer<{.scale = 0x1p-8F, .zero_point = 1}>>.why ==
              rejection::clause::exact_match);
static_assert(of_sigmoid<histogram_observer<>>.why == rejection::clause::exact_match);

}  // namespace
