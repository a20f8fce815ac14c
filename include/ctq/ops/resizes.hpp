// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "ctq/core/shapes/layout_shapes.hpp"
#include "ctq/core/shapes/resampling_shape.hpp"
#include "ctq/ops/define_ops.hpp"

// Padding, interpolation, repeats, pixel_shuffle and pixel_unshuffle.

namespace ctq {

enum class interpolation : int { nearest, nearest_exact, linear, bilinear, bicubic, trilinear };

inline constexpr std::string_view interpolation_names[] = {
    "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear"};
inline constexpr option_words_of interpolation_words{"interpolation", {interpolation_names, 6}};

inline constexpr std::string_view padding_names[] = {"constant", "reflect", "replicate",
                                                     "circular"};
inline constexpr option_words_of padding_words{"padding_rule", {padding_names, 4}};

/// How many elements are added at both ends of the last axes, the last axis first: {left, right,
/// top, bottom}. Negative numbers remove elements.
struct pad_options {
  ctq::shape pad{};
  padding_rule mode = padding_rule::constant;
  float value = 0.0F;
};

/// The same for modules.
struct constant_pad_options {
  ctq::shape padding{};
  float value = 0.0F;
};
struct copying_pad_options {
  ctq::shape padding{};
};

/// Either size or scale_factor.
struct interpolate_options {
  ctq::shape size{};  // of the output: a number for each axis of pixels, or one for all
  float scale_factor = 0.0F;
  interpolation mode = interpolation::nearest;
  flag align_corners = false;
};

struct pixel_shuffle_options {
  int upscale_factor{};
};

struct pixel_unshuffle_options {
  int downscale_factor{};
};

}  // namespace ctq

// clang-format off
#define CTQ_RESIZES(OP) \
  OP(nn, module_op, constant_pad2d, "torch.nn.ConstantPad2d", constant_pad_options, constant_pad) \
  OP(nn, module_op, upsample, "torch.nn.Upsample", interpolate_options, upsample) \
  OP(fn, function_op, pad, "torch.nn.functional.pad", pad_options, pad) \
  CTQ_MODULE_AND_FUNCTION(OP, pixel_shuffle, "PixelShuffle", pixel_shuffle_options, pixel_shuffle) \
  CTQ_MODULE_AND_FUNCTION(OP, pixel_unshuffle, "PixelUnshuffle", pixel_unshuffle_options, pixel_unshuffle) \
  OP(fn, function_op, interpolate, "torch.nn.functional.interpolate", interpolate_options, interpolate)
// clang-format on

CTQ_RESIZES(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// Whether an axis has enough elements for this padding.
constexpr bool can_pad(int in, int before, int after, padding_rule rule) {
  const int most = rule == padding_rule::reflect    ? in - 1
                   : rule == padding_rule::circular ? in
                                                    : INT32_MAX / 4;
  return before <= most && after <= most && before >= -in && after >= -in &&
         in + before + after >= 1;
}

constexpr shape wrong_pad(diagnostic& d, const shape& in, const shape& amounts,
                          std::string_view what) {
  return shape_rules::wrong_input(d, in, "pad ", shape_text(amounts).view(), what);
}

/// The padded shape.
///   amounts  as those of F.pad
constexpr shape padded_shape(const shape& in, const shape& amounts, padding_rule rule,
                             diagnostic& d) {
  if (amounts.rank % 2 != 0 || amounts.rank == 0 || amounts.rank / 2 > in.rank || in.rank < 2)
    return wrong_pad(d, in, amounts, ":\ntwo numbers for each axis");
  shape out = in;
  for (int i = 0; i < amounts.rank; i += 2) {
    int& extent = out[in.rank - 1 - i / 2];
    if (!can_pad(extent, amounts[i], amounts[i + 1], rule))
      return wrong_pad(d, in, amounts, " does not fit\nthe input");
    extent += amounts[i] + amounts[i + 1];
  }
  return out;
}
constexpr shape pad_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  const auto o = a.as<pad_options>();
  return shape_rules::needs(d, in, 1, 0) ? padded_shape(in[0], o.pad, o.mode, d) : shape{};
}
template <class Options, padding_rule Rule>
constexpr shape pad_module_rule(view<shape> in, attributes& a, diagnostic& d) {
  return shape_rules::needs(d, in, 1, 0) ? padded_shape(in[0], a.as<Options>().padding, Rule, d)
                                         : shape{};
}

/// In the order N, H, W, C.
constexpr kernel_signature::sizes sizes_of_pad(const shape& in, const shape& out,
                                               const shape& amounts, padding_rule rule,
                                               float value) {
  pad_shape s{.rule = rule, .value_bits = std::bit_cast<int>(value)};
  const int leading = pad_shape::axes - in.rank;
  for (int place = 0; place < pad_shape::axes; ++place) {
    const int axis = place < leading ? -1 : axis_in_memory(place - leading, in.rank, layout::nhwc);
    const int amount = axis < 0 ? amounts.rank : 2 * (in.rank - 1 - axis);
    s.in[place] = axis < 0 ? 1 : in[axis];
    s.out[place] = axis < 0 ? 1 : out[axis];
    s.before[place] = amount < amounts.rank ? amounts[amount] : 0;
  }
  return to_block<kernel_signature::sizes>(s);
}
constexpr kernel_signature::sizes pad_sizes(attributes a, shape in, shape out) {
  const auto o = a.as<pad_options>();
  return sizes_of_pad(in, out, o.pad, o.mode, o.value);
}
template <class Options, padding_rule Rule>
constexpr kernel_signature::sizes pad_module_sizes(attributes a, shape in, shape out) {
  const auto o = a.as<Options>();
  float value = 0.0F;
  if constexpr (requires { o.value; }) value = o.value;
  return sizes_of_pad(in, out, o.padding, Rule, value);
}

constexpr op_descriptor padded_by(op_descriptor::shape_rule rule,
                                  op_schedule::sizes_function sizes) {
  return {.infer_shape = rule,
          .keeps_memory_order = true,
          .on_integers = on_integers::input_scale,
          .is_since_2_1 = true,
          .schedule = in_order(kernel_layout::nhwc, kernel::pad, sizes)};
}
inline constexpr op_descriptor pad =
    keeping_integers_with<&has_integer<pad_options, &pad_options::value>>(
        padded_by(&pad_shape_rule, &pad_sizes));
template <class Options, padding_rule Rule>
constexpr op_descriptor pad_module() {
  return padded_by(&pad_module_rule<Options, Rule>, &pad_module_sizes<Options, Rule>);
}
inline constexpr op_descriptor constant_pad =
    pad_module<constant_pad_options, padding_rule::constant>();

/// The extent of an output axis that is `factor` times as long; below 1 if there is none.
constexpr int scaled_extent(int in, float factor) {
  const double extent = in * static_cast<double>(factor);
  return extent >= 1.0 && extent <= INT32_MAX ? static_cast<int>(extent) : 0;
}

/// Whether a mode interpolates along this number of axes.
constexpr bool interpolates(interpolation mode, int axes) {
  if (mode == interpolation::bilinear || mode == interpolation::bicubic) return axes == 2;
  return mode < interpolation::linear || axes == (mode == interpolation::linear ? 1 : 3);
}

constexpr shape interpolate_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  const int rank = in.count == 1 && (in[0].rank == 3 || in[0].rank == 5) ? in[0].rank : 4;
  if (!needs(d, in, 1, rank)) return {};
  const auto o = a.as<interpolate_options>();
  const int axes = rank - 2;
  if (!interpolates(o.mode, axes))
    return wrong_input(d, in[0], "mode: linear along one axis, bilinear\nand bicubic along two, ",
                       "trilinear\nalong three");
  const bool has_size = o.size.rank != 0;
  if (has_size == (o.scale_factor != 0.0F)) {
    complain(d, "needs either size or scale_factor");
    return {};
  }
  if (o.size.rank > 1 && o.size.rank != axes)
    return wrong_input(d, in[0], "size ", shape_text(o.size).view(),
                       ": a number for each\naxis of pixels");
  shape out = in[0];
  for (int axis = 2; axis < rank; ++axis) {
    out[axis] = has_size ? o.size[o.size.rank == 1 ? 0 : axis - 2]
                         : scaled_extent(out[axis], o.scale_factor);
    if (out[axis] >= 1) continue;
    complain(d, "size and scale_factor leave no pixels");
    return {};
  }
  return out;
}

/// Input elements per output element, as PyTorch computes it.
constexpr int scale_bits_of(const interpolate_options& o, int in, int out) {
  float scale = o.scale_factor != 0.0F
                    ? static_cast<float>(1.0 / static_cast<double>(o.scale_factor))
                    : static_cast<float>(in) / static_cast<float>(out);
  if (o.align_corners && o.mode != interpolation::nearest && o.mode != interpolation::nearest_exact)
    scale = out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1) : 0.0F;
  return std::bit_cast<int>(scale);
}

constexpr sampling_rule sampling_of(const interpolate_options& o) {
  if (o.mode == interpolation::nearest) return sampling_rule::nearest;
  if (o.mode == interpolation::nearest_exact) return sampling_rule::nearest_exact;
  if (o.mode == interpolation::bicubic)
    return o.align_corners ? sampling_rule::cubic_aligned : sampling_rule::cubic;
  return o.align_corners ? sampling_rule::linear_aligned : sampling_rule::linear;
}

constexpr kernel_signature::sizes interpolate_sizes(attributes a, shape in, shape out) {
  const auto o = a.as<interpolate_options>();
  const shape x = shape_rules::as_image(in), y = shape_rules::as_image(out);
  const int h = x.rank - 2, w = x.rank - 1;
  const int in_d = x.rank == 5 ? x[2] : 1, out_d = x.rank == 5 ? y[2] : 1;
  return to_block<kernel_signature::sizes>(
      resampling_shape{.batch = x[0],
                       .in_h = x[h],
                       .in_w = x[w],
                       .channels = x[1],
                       .out_h = y[h],
                       .out_w = y[w],
                       .sampling = sampling_of(o),
                       .scale_bits = {scale_bits_of(o, x[h], y[h]), scale_bits_of(o, x[w], y[w]),
                                      scale_bits_of(o, in_d, out_d)},
                       .in_d = in_d,
                       .out_d = out_d});
}

/// The options are one number, the factor.
template <bool Gathers>
constexpr shape pixel_shuffle_shape_rule(view<shape> in, attributes& a, diagnostic& d) {
  using namespace shape_rules;
  if (!needs(d, in, 1, 4)) return {};
  const int f = a.as<pixel_shuffle_options>().upscale_factor;
  const shape& x = in[0];
  const bool fits =
      f >= 1 && f < 1 << 15 && (Gathers ? x[2] % f == 0 && x[3] % f == 0 : x[1] % (f * f) == 0);
  if (!fits) return wrong_input(d, x, "the factor ", f, " does not divide the extents");
  if (Gathers) return {x[0], x[1] * f * f, x[2] / f, x[3] / f};
  return {x[0], x[1] / (f * f), x[2] * f, x[3] * f};
}

template <bool Gathers>
constexpr kernel_signature::sizes pixel_shuffle_sizes(attributes a, shape in, shape out) {
  const shape& small = Gathers ? out : in;
  return to_block<kernel_signature::sizes>(
      pixel_shuffle_shape{.batch = in[0],
                          .in_h = small[2],
                          .in_w = small[3],
                          .channels = (Gathers ? in : out)[1],
                          .factor = a.as<pixel_shuffle_options>().upscale_factor,
                          .gathers = Gathers ? 1 : 0});
}

inline constexpr op_descriptor upsample{
    .infer_shape = &interpolate_shape_rule,
    .keeps_memory_order = true,
    .schedule = in_order(kernel_layout::nhwc, kernel::resampling, &interpolate_sizes)};
inline constexpr op_descriptor interpolate =
    with(upsample, [](op_descriptor& d) { d.on_integers = on_integers::input_scale; });

template <bool Gathers>
constexpr op_descriptor shuffled_pixels() {
  return {.infer_shape = &pixel_shuffle_shape_rule<Gathers>,
          .on_integers = on_integers::input_scale,
          .is_since_2_1 = true,
          .schedule =
              in_order(kernel_layout::nhwc, kernel::pixel_shuffle, &pixel_shuffle_sizes<Gathers>)};
}
inline constexpr op_descriptor pixel_shuffle = shuffled_pixels<false>();
inline constexpr op_descriptor pixel_unshuffle = shuffled_pixels<true>();

}  // namespace ctq::descriptors

CTQ_RESIZES(CTQ_DESCRIBE_OP)
