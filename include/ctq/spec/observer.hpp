// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

#include "ctq/core/dtype.hpp"
#include "ctq/core/qparams.hpp"

// Observers as records in a spec: a class and its arguments. The stateful observers are in
// ctq/observers.

namespace ctq {

/// PyTorch's observer classes, and power_of_two_histogram.
enum class observer_class : std::uint8_t {
  none,
  placeholder,
  min_max,
  moving_average_min_max,
  per_channel_min_max,
  histogram,
  moving_average_per_channel_min_max,
  fixed_qparams,
  noop,
  recording,
  reuse_input,
  power_of_two_histogram,
};

inline constexpr int observer_class_count =
    static_cast<int>(observer_class::power_of_two_histogram) + 1;

/// Whether the observer has one range per channel.
[[nodiscard]] constexpr bool is_per_channel(observer_class c) {
  return c == observer_class::per_channel_min_max ||
         c == observer_class::moving_average_per_channel_min_max;
}

namespace names {
inline constexpr std::string_view of_observer_class[] = {"None",
                                                         "PlaceholderObserver",
                                                         "MinMaxObserver",
                                                         "MovingAverageMinMaxObserver",
                                                         "PerChannelMinMaxObserver",
                                                         "HistogramObserver",
                                                         "MovingAveragePerChannelMinMaxObserver",
                                                         "FixedQParamsObserver",
                                                         "NoopObserver",
                                                         "RecordingObserver",
                                                         "ReuseInputObserver",
                                                         "PowerOfTwoHistogramObserver"};
}

/// PyTorch's class name; PowerOfTwoHistogramObserver is specific to ctq.
[[nodiscard]] constexpr std::string_view name_of(observer_class c) {
  return names::of_observer_class[static_cast<std::size_t>(c)];
}

/// The class that wraps an observer in quantization-aware training.
enum class fake_quantize_class : std::uint8_t {
  none,
  fake_quantize,
  fused_moving_avg_obs_fake_quantize,
  fixed_qparams_fake_quantize,
  learnable_fake_quantize,
};

inline constexpr int fake_quantize_class_count =
    static_cast<int>(fake_quantize_class::learnable_fake_quantize) + 1;

namespace names {
inline constexpr std::string_view of_fake_quantize_class[] = {
    "None", "FakeQuantize", "FusedMovingAvgObsFakeQuantize", "FixedQParamsFakeQuantize",
    "_LearnableFakeQuantize"};
}

/// PyTorch's class name.
[[nodiscard]] constexpr std::string_view name_of(fake_quantize_class c) {
  return names::of_fake_quantize_class[static_cast<std::size_t>(c)];
}

/// An optional integer: {.quant_min = -127}.
struct optional_int {
  std::int64_t value{};
  bool given{};

  constexpr optional_int() = default;
  constexpr optional_int(std::int64_t v) : value(v), given(true) {}  // NOLINT

  friend constexpr bool operator==(const optional_int&, const optional_int&) = default;
};

/// The keyword arguments of PyTorch's observers, with their defaults, and group_size, which torchao
/// has: a range for each run of so many elements of a channel, the last of which may be shorter.
struct observer_args {
  ctq::dtype dtype = quint8;
  ctq::qscheme qscheme = ctq::qscheme::per_tensor_affine;
  bool reduce_range = false;  // halves the range of integers
  optional_int quant_min{};   // both or none: inside the dtype's range, with 0 between them
  optional_int quant_max{};
  float eps = 0x1p-23F;              // the smallest scale, > 0
  double averaging_constant = 0.01;  // moving averages: 0 to 1, the weight of a new batch
  int ch_axis = 0;                   // per channel
  int group_size = 0;                // per channel, ch_axis 0; 0: one range for all of it
  int bins = 2048;                   // histogram: 1 to max_bins; power of two: from 2
  int upsample_rate = 128;           // histogram: >= 1, bins into which a bin is divided to merge
  bool is_dynamic = false;           // placeholder
  float scale = 1.0F;                // fixed_qparams, learnable_fake_quantize
  std::int64_t zero_point = 0;       // fixed_qparams, learnable_fake_quantize
  bool use_grad_scaling = false;     // learnable_fake_quantize

  friend constexpr bool operator==(const observer_args&, const observer_args&) = default;
};

/// The integers of weights that are quantized per group, and the most elements of a group: its sum
/// must fit into int32.
inline constexpr quant_range int4_range{-8, 7};
inline constexpr int max_group_size = 1 << 20;

/// The most bins of a histogram.
inline constexpr int max_bins = 1 << 24;

/// Whether both bounds are given; a single one is ignored, as in PyTorch.
[[nodiscard]] constexpr bool has_custom_range(const observer_args& a) {
  return a.quant_min.given && a.quant_max.given;
}

/// An observer, or a fake quantize around one: PyTorch's observer constructor.
struct observer_record {
  observer_class type = observer_class::none;
  observer_args args{};
  fake_quantize_class fake_quantize = fake_quantize_class::none;

  friend constexpr bool operator==(const observer_record&, const observer_record&) = default;
};

/// The range of integers of an observer: the custom range or that of the dtype, halved by
/// reduce_range (floor division, as in PyTorch).
[[nodiscard]] constexpr quant_range range_of(const observer_args& a) {
  const bool custom = has_custom_range(a);
  const quant_range r =
      custom ? quant_range{a.quant_min.value, a.quant_max.value} : range_of(a.dtype);
  const bool halve = a.reduce_range && (custom || a.dtype == quint8 || a.dtype == qint8);
  return halve ? quant_range{r.min >> 1, r.max >> 1} : r;
}

/// Whether reduce_range would halve integers whose zero point stays 128. PyTorch rejects that for
/// all observers but HistogramObserver.
[[nodiscard]] constexpr bool reduces_symmetric_quint8(const observer_args& a) {
  return a.reduce_range && a.dtype == quint8 &&
         (a.qscheme == qscheme::per_tensor_symmetric ||
          a.qscheme == qscheme::per_channel_symmetric);
}

/// What is wrong with the observer inside a fake quantize, or empty.
[[nodiscard]] constexpr std::string_view problem_inside(const observer_record& r) {
  using enum observer_class;
  const auto inner = [&r](auto... allowed) { return ((r.type == allowed) || ...); };
  switch (r.fake_quantize) {
    case fake_quantize_class::none: return {};
    case fake_quantize_class::fused_moving_avg_obs_fake_quantize:
      if (!inner(moving_average_min_max, moving_average_per_channel_min_max))
        return "its observer is not a moving average";
      return {};
    case fake_quantize_class::fixed_qparams_fake_quantize:
      return inner(fixed_qparams) ? "" : "its observer is not FixedQParamsObserver";
    case fake_quantize_class::learnable_fake_quantize:
      if (r.args.qscheme == qscheme::per_channel_affine_float_qparams)
        return "a float zero point cannot be trained";
      [[fallthrough]];
    case fake_quantize_class::fake_quantize:
      if (inner(none, placeholder, noop, recording, reuse_input))
        return "its observer has no quantization parameters";
  }
  return {};
}

template <observer_class Class, observer_args Args>
struct observer {
  static constexpr observer_record value{Class, Args};
};

/// The arguments of a placeholder, whose default dtype is float.
struct placeholder_observer_args {
  ctq::dtype dtype = f32;
  optional_int quant_min{};
  optional_int quant_max{};
  float eps = 0x1p-23F;
  bool is_dynamic = false;

  constexpr operator observer_args() const {  // NOLINT(google-explicit-constructor)
    return {.dtype = dtype,
            .quant_min = quant_min,
            .quant_max = quant_max,
            .eps = eps,
            .is_dynamic = is_dynamic};
  }
};

/// No statistics: the dtype of values that are quantized dynamically or stay in float.
template <placeholder_observer_args Args = placeholder_observer_args{}>
struct placeholder_observer : observer<observer_class::placeholder, Args> {};

/// The range from the least to the greatest value of all batches.
template <observer_args Args = observer_args{}>
struct min_max_observer : observer<observer_class::min_max, Args> {};

/// The range between the moving averages of each batch's least and greatest value.
template <observer_args Args = observer_args{}>
struct moving_average_min_max_observer : observer<observer_class::moving_average_min_max, Args> {};

/// The arguments of per-channel observers. They are for weights, which must be symmetric for ctq's
/// kernels, so the defaults are per_channel_symmetric and qint8 (PyTorch: per_channel_affine,
/// quint8).
struct per_channel_observer_args {
  ctq::dtype dtype = qint8;
  ctq::qscheme qscheme = ctq::qscheme::per_channel_symmetric;
  bool reduce_range = false;
  optional_int quant_min{};
  optional_int quant_max{};
  float eps = 0x1p-23F;
  double averaging_constant = 0.01;
  int ch_axis = 0;
  int group_size = 0;

  constexpr operator observer_args() const {  // NOLINT(google-explicit-constructor)
    return {.dtype = dtype,
            .qscheme = qscheme,
            .reduce_range = reduce_range,
            .quant_min = quant_min,
            .quant_max = quant_max,
            .eps = eps,
            .averaging_constant = averaging_constant,
            .ch_axis = ch_axis,
            .group_size = group_size};
  }
};

/// As min_max_observer, with a range for each index along ch_axis.
template <per_channel_observer_args Args = per_channel_observer_args{}>
struct per_channel_min_max_observer : observer<observer_class::per_channel_min_max, Args> {};

/// As moving_average_min_max_observer, with a range for each index along ch_axis.
template <per_channel_observer_args Args = per_channel_observer_args{}>
struct moving_average_per_channel_min_max_observer
    : observer<observer_class::moving_average_per_channel_min_max, Args> {};

/// The range with the least expected squared error of quantization, by a histogram of all batches.
template <observer_args Args = observer_args{}>
struct histogram_observer : observer<observer_class::histogram, Args> {};

/// A histogram with bin widths that are powers of two, so that histograms can be merged exactly.
template <observer_args Args = observer_args{}>
struct power_of_two_histogram_observer : observer<observer_class::power_of_two_histogram, Args> {};

/// Fixed scale and zero point: {.scale = 0x1p-8, .zero_point = 0}. A scale must be given.
template <observer_args Args = observer_args{.scale = 0}>
struct fixed_qparams_observer : observer<observer_class::fixed_qparams, Args> {};

/// No statistics: for values that are kept in half precision or float.
template <dtype Dtype = f16>
struct noop_observer : observer<observer_class::noop, observer_args{.dtype = Dtype}> {};

/// Keeps a copy of the observed tensors, for debugging.
template <observer_args Args = observer_args{}>
struct recording_observer : observer<observer_class::recording, Args> {};

/// The output shares the observer of the input.
struct reuse_input_observer : observer<observer_class::reuse_input, observer_args{}> {};

namespace observer_parts {

template <class Observer, fake_quantize_class Class>
struct wrapped {
  static constexpr observer_record value{Observer::value.type, Observer::value.args, Class};
};

}  // namespace observer_parts

/// Observes and simulates quantization, for quantization-aware training.
template <class Observer>
struct fake_quantize : observer_parts::wrapped<Observer, fake_quantize_class::fake_quantize> {};

/// The same in one pass over the tensor, for observers with a moving average.
template <class Observer>
struct fused_moving_avg_obs_fake_quantize
    : observer_parts::wrapped<Observer, fake_quantize_class::fused_moving_avg_obs_fake_quantize> {};

/// Simulates quantization by the qparams of a fixed_qparams_observer.
template <class Observer>
struct fixed_qparams_fake_quantize
    : observer_parts::wrapped<Observer, fake_quantize_class::fixed_qparams_fake_quantize> {};

/// Scale and zero point are trained, too, starting from the observer's.
template <class Observer>
struct learnable_fake_quantize
    : observer_parts::wrapped<Observer, fake_quantize_class::learnable_fake_quantize> {};

}  // namespace ctq
