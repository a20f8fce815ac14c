// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/core/dtype.hpp"
#include "ctq/core/qparams.hpp"

// Observers as a spec names them: a class and its arguments, no state. The state that collects
// statistics lives in ctq/observers.

namespace ctq {

enum class observer_class : std::uint8_t {
  none,
  placeholder,
  min_max,
  moving_average_min_max,
  per_channel_min_max,
  histogram,
  moving_average_per_channel_min_max,
};

/// One range for each channel, rather than one for the tensor.
[[nodiscard]] constexpr bool is_per_channel(observer_class c) {
  return c == observer_class::per_channel_min_max ||
         c == observer_class::moving_average_per_channel_min_max;
}

/// PyTorch's class name.
[[nodiscard]] constexpr std::string_view name_of(observer_class c) {
  constexpr std::string_view names[] = {"None",
                                        "PlaceholderObserver",
                                        "MinMaxObserver",
                                        "MovingAverageMinMaxObserver",
                                        "PerChannelMinMaxObserver",
                                        "HistogramObserver",
                                        "MovingAveragePerChannelMinMaxObserver"};
  return names[static_cast<std::size_t>(c)];
}

/// An integer that may be left out: {.quant_min = -127}.
struct optional_int {
  std::int64_t value{};
  bool given{};

  constexpr optional_int() = default;
  constexpr optional_int(std::int64_t v) : value(v), given(true) {}  // NOLINT

  friend constexpr bool operator==(const optional_int&, const optional_int&) = default;
};

/// The keyword arguments of PyTorch's observers, with their defaults.
struct observer_args {
  ctq::dtype dtype = quint8;
  ctq::qscheme qscheme = ctq::qscheme::per_tensor_affine;
  bool reduce_range = false;
  optional_int quant_min{};
  optional_int quant_max{};
  float eps = 0x1p-23F;
  double averaging_constant = 0.01;  // moving averages
  int ch_axis = 0;                   // per channel
  int bins = 2048;                   // histogram
  int upsample_rate = 128;           // histogram
  bool is_dynamic = false;           // placeholder

  friend constexpr bool operator==(const observer_args&, const observer_args&) = default;
};

/// Both ends are given; one alone is ignored, as in PyTorch.
[[nodiscard]] constexpr bool has_custom_range(const observer_args& a) {
  return a.quant_min.given && a.quant_max.given;
}

struct observer_record {
  observer_class type = observer_class::none;
  observer_args args{};

  friend constexpr bool operator==(const observer_record&, const observer_record&) = default;
};

/// The integers an observer quantizes to: the range asked for, else the dtype's; either is halved
/// by reduce_range (floor division, as PyTorch).
[[nodiscard]] constexpr quant_range range_of(const observer_args& a) {
  const bool custom = has_custom_range(a);
  const quant_range r =
      custom ? quant_range{a.quant_min.value, a.quant_max.value} : range_of(a.dtype);
  const bool halve = a.reduce_range && (custom || a.dtype == quint8 || a.dtype == qint8);
  return halve ? quant_range{r.min >> 1, r.max >> 1} : r;
}

template <observer_class Class, observer_args Args>
struct observer {
  static constexpr observer_record value{Class, Args};
};

template <observer_args Args = observer_args{}>
struct placeholder_observer : observer<observer_class::placeholder, Args> {};

template <observer_args Args = observer_args{}>
struct min_max_observer : observer<observer_class::min_max, Args> {};

template <observer_args Args = observer_args{}>
struct moving_average_min_max_observer : observer<observer_class::moving_average_min_max, Args> {};

/// The arguments of per-channel observers. They are for weights, which ctq's kernels want
/// symmetric, so that and qint8 are the defaults (PyTorch's are per_channel_affine, quint8).
struct per_channel_observer_args {
  ctq::dtype dtype = qint8;
  ctq::qscheme qscheme = ctq::qscheme::per_channel_symmetric;
  bool reduce_range = false;
  optional_int quant_min{};
  optional_int quant_max{};
  float eps = 0x1p-23F;
  double averaging_constant = 0.01;
  int ch_axis = 0;

  constexpr operator observer_args() const {  // NOLINT(google-explicit-constructor)
    return {.dtype = dtype,
            .qscheme = qscheme,
            .reduce_range = reduce_range,
            .quant_min = quant_min,
            .quant_max = quant_max,
            .eps = eps,
            .averaging_constant = averaging_constant,
            .ch_axis = ch_axis};
  }
};

template <per_channel_observer_args Args = per_channel_observer_args{}>
struct per_channel_min_max_observer : observer<observer_class::per_channel_min_max, Args> {};

template <per_channel_observer_args Args = per_channel_observer_args{}>
struct moving_average_per_channel_min_max_observer
    : observer<observer_class::moving_average_per_channel_min_max, Args> {};

template <observer_args Args = observer_args{}>
struct histogram_observer : observer<observer_class::histogram, Args> {};

}  // namespace ctq
