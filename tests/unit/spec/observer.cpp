// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/observer.hpp"

#include <doctest/doctest.h>

namespace {

using namespace ctq;

static_assert(range_of(observer_args{}) == quant_range{0, 255});
static_assert(range_of(observer_args{.reduce_range = true}) == quant_range{0, 127});
static_assert(range_of(observer_args{.dtype = qint8, .reduce_range = true}) ==
              quant_range{-64, 63});
static_assert(range_of(observer_args{.dtype = qint32, .reduce_range = true}) == range_of(qint32),
              "only 8-bit types and custom ranges are reduced");
static_assert(range_of(observer_args{
                  .dtype = qint8, .reduce_range = true, .quant_min = -127, .quant_max = 127}) ==
                  quant_range{-64, 63},
              "halved downwards");
static_assert(range_of(observer_args{.quant_min = 0, .quant_max = 15}) == quant_range{0, 15});
static_assert(!has_custom_range({.quant_max = 15}), "one end alone is ignored");

// PyTorch's defaults.
constexpr observer_args defaults{};
static_assert(defaults.dtype == quint8 && defaults.qscheme == qscheme::per_tensor_affine);
static_assert(!defaults.reduce_range && defaults.eps == 0x1p-23F && defaults.ch_axis == 0);
static_assert(defaults.averaging_constant == 0.01);
static_assert(defaults.bins == 2048 && defaults.upsample_rate == 128);
constexpr observer_args of_channels = per_channel_observer_args{};
static_assert(of_channels.eps == 0x1p-23F && of_channels.averaging_constant == 0.01);
static_assert(!of_channels.reduce_range && of_channels.ch_axis == 0);

static_assert(is_per_channel(observer_class::moving_average_per_channel_min_max));
static_assert(!is_per_channel(observer_class::histogram));
static_assert(name_of(observer_class::none) == "None");
static_assert(name_of(observer_class::histogram) == "HistogramObserver");
static_assert(name_of(observer_class::moving_average_per_channel_min_max) ==
              "MovingAveragePerChannelMinMaxObserver");

constexpr auto weight = per_channel_min_max_observer<{.quant_min = -127, .quant_max = 127}>::value;
static_assert(weight.type == observer_class::per_channel_min_max);
static_assert(weight.args.dtype == qint8);
static_assert(weight.args.qscheme == qscheme::per_channel_symmetric);

TEST_CASE("arguments of per-channel observers reach the record") {
  constexpr auto record =
      moving_average_per_channel_min_max_observer<{.averaging_constant = 0.5, .ch_axis = 1}>::value;
  CHECK(record.args.averaging_constant == 0.5);
  CHECK(record.args.ch_axis == 1);
  CHECK(record.args.bins == observer_args{}.bins);
}

}  // namespace
