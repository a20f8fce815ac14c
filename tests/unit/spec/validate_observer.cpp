// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/validate_observer.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace ctq;

namespace {

template <class Observer>
constexpr findings found_in() {
  findings found;
  rules::observer(found, {0, -1, "activation", {}}, Observer::value);
  return found;
}
template <class Observer>
constexpr bool is_fine = found_in<Observer>().size() == 0;

/// Whether the observer has one finding, which has this text after "error: activation.".
template <class Observer>
constexpr bool says(std::string_view words) {
  const findings found = found_in<Observer>();
  static_text<300> text, wanted;
  if (found.size() == 1) append_finding(text, found[0]);
  append_all(wanted, "error: activation.", words);
  return text.view() == wanted.view();
}

template <observer_args Args>
using min_max = min_max_observer<Args>;
template <observer_args Args>
using average = moving_average_min_max_observer<Args>;
template <per_channel_observer_args Args>
using per_channel = per_channel_min_max_observer<Args>;
template <observer_args Args>
using histogram = histogram_observer<Args>;
template <observer_args Args>
using power_of_two = power_of_two_histogram_observer<Args>;
template <observer_args Args>
using fixed = fixed_qparams_observer<Args>;
constexpr auto symmetric = qscheme::per_tensor_symmetric;

static_assert(is_fine<min_max_observer<>> && is_fine<histogram_observer<>> &&
              is_fine<power_of_two_histogram_observer<>> && is_fine<placeholder_observer<>> &&
              is_fine<noop_observer<>> && is_fine<reuse_input_observer> &&
              is_fine<moving_average_per_channel_min_max_observer<>>);

// The range of integers.
static_assert(says<min_max<{.quant_min = 0, .quant_max = 256}>>(
    "quant_max: 256 is outside quint8, which holds 0 to 255 [observer-quant-range]"));
static_assert(says<min_max<{.quant_min = 1, .quant_max = 9}>>(
    "quant_min: the range 1 to 9 does not contain 0 [observer-quant-range]"));
static_assert(says<min_max<{.quant_max = 127}>>(
    "quant_min: quant_min and quant_max must be given together [observer-quant-range]"));
static_assert(says<min_max<{.quant_min = 0}>>(
    "quant_min: quant_min and quant_max must be given together [observer-quant-range]"));
static_assert(says<min_max<{.quant_min = 7, .quant_max = 7}>>(
    "quant_min: 7 is not below quant_max, 7 [observer-quant-range]"));

// dtype, qscheme, eps.
static_assert(says<min_max<{.dtype = f16}>>(
    "dtype: float16 has no integers, MinMaxObserver needs a quantized dtype [observer-dtype]"));
static_assert(says<per_channel<{.qscheme = qscheme::per_tensor_affine}>>(
    "qscheme: PerChannelMinMaxObserver cannot be per_tensor_affine [observer-qscheme]"));
static_assert(says<min_max<{.qscheme = qscheme::per_channel_affine}>>(
    "qscheme: MinMaxObserver cannot be per_channel_affine [observer-qscheme]"));
static_assert(says<min_max<{.eps = 0.0F}>>("eps: 0 is not positive and finite [observer-eps]"));

// As PyTorch 1.13, where only HistogramObserver halves symmetric quint8.
constexpr std::string_view reduced =
    "reduce_range: symmetric quint8 cannot be reduced: its zero point is 128 [observer-qscheme]";
static_assert(says<min_max<{.qscheme = symmetric, .reduce_range = true}>>(reduced));
static_assert(says<average<{.qscheme = symmetric, .reduce_range = true}>>(reduced));
static_assert(says<power_of_two<{.qscheme = symmetric, .reduce_range = true}>>(reduced));
static_assert(
    says<per_channel<{
        .dtype = quint8, .qscheme = qscheme::per_channel_symmetric, .reduce_range = true}>>(
        reduced));
static_assert(is_fine<histogram<{.qscheme = symmetric, .reduce_range = true}>>);
static_assert(is_fine<min_max<{.dtype = qint8, .qscheme = symmetric, .reduce_range = true}>>);

// Arguments of some classes.
static_assert(says<average<{.averaging_constant = 7}>>(
    "averaging_constant: 7 is not a weight of a new batch: 0 to 1 [observer-argument]"));
static_assert(says<average<{.averaging_constant = -0.5}>>(
    "averaging_constant: -0.5 is not a weight of a new batch: 0 to 1 [observer-argument]"));
static_assert(is_fine<average<{.averaging_constant = 0}>>);
static_assert(is_fine<average<{.averaging_constant = 1}>>);
static_assert(
    says<per_channel<{.ch_axis = 6}>>("ch_axis: 6 is not an axis: -6 to 5 [observer-argument]"));
static_assert(
    says<per_channel<{.ch_axis = -7}>>("ch_axis: -7 is not an axis: -6 to 5 [observer-argument]"));
static_assert(is_fine<per_channel<{.ch_axis = -6}>> && is_fine<per_channel<{.ch_axis = 5}>>);
static_assert(says<histogram<{.bins = 0}>>(
    "bins: 0 is not a number of bins: 1 to 16777216 [observer-argument]"));
static_assert(says<histogram<{.bins = (1 << 24) + 1}>>(
    "bins: 16777217 is not a number of bins: 1 to 16777216 [observer-argument]"));
static_assert(says<power_of_two<{.bins = 1}>>(
    "bins: 1 is not a number of bins: 2 to 16777216 [observer-argument]"));
static_assert(says<histogram<{.upsample_rate = 0}>>(
    "upsample_rate: 0 is not a number of parts of a bin: from 1 [observer-argument]"));

static_assert(is_fine<power_of_two<{.bins = 2, .upsample_rate = 0}>>);  // it has none

// Fixed qparams.
static_assert(is_fine<fixed<{.scale = 0x1p-8F}>>);
static_assert(is_fine<fixed<{.dtype = qint8, .scale = 0.5F, .zero_point = -128}>>);
static_assert(
    says<fixed_qparams_observer<>>("scale: 0 is not positive and finite [observer-argument]"));
static_assert(says<fixed<{.scale = std::numeric_limits<float>::infinity()}>>(
    "scale: inf is not positive and finite [observer-argument]"));
static_assert(says<fixed<{.zero_point = 999}>>(
    "zero_point: 999 is outside the range of quint8, 0 to 255 [observer-argument]"));
static_assert(says<fixed<{.quant_min = 0, .quant_max = 127, .zero_point = 128}>>(
    "zero_point: 128 is outside the range of quint8, 0 to 127 [observer-argument]"));
static_assert(says<fixed<{.dtype = f32, .scale = 0.5F}>>(
    "dtype: float32 has no integers, FixedQParamsObserver needs a quantized dtype "
    "[observer-dtype]"));

// What is inside a fake quantize.
static_assert(is_fine<fake_quantize<min_max_observer<>>>);
static_assert(says<fake_quantize<placeholder_observer<>>>(
    "observer: PlaceholderObserver inside FakeQuantize: its observer has no quantization "
    "parameters [fake-quantize-observer]"));
static_assert(says<fused_moving_avg_obs_fake_quantize<min_max_observer<>>>(
    "observer: MinMaxObserver inside FusedMovingAvgObsFakeQuantize: its observer is not a moving "
    "average [fake-quantize-observer]"));
static_assert(says<fixed_qparams_fake_quantize<min_max_observer<>>>(
    "observer: MinMaxObserver inside FixedQParamsFakeQuantize: its observer is not "
    "FixedQParamsObserver [fake-quantize-observer]"));

TEST_CASE("several arguments are several findings") {
  const findings found = found_in<
      moving_average_per_channel_min_max_observer<{.averaging_constant = 7, .ch_axis = 6}>>();
  CHECK(found.size() == 2);
}

}  // namespace
