// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/in_float/along_axes.hpp"
#include "ctq/ops/in_float/views.hpp"

// Elements in another order, which PyTorch's backends leave in float: flipped, rolled, shuffled,
// and torchvision's merging of patches.

namespace ctq {

struct flip_options {
  ctq::shape dims{};  // axes, negative from the end
};

/// Element i of an axis becomes element i + shift, modulo the extent.
struct roll_options {
  ctq::shape shifts{};
  ctq::shape dims{};  // an axis for each shift; none: the elements as one axis, by one shift
};

/// Channel g * n + k, with n channels in each group, becomes k * groups + g.
struct channel_shuffle_options {
  int groups{};
};

}  // namespace ctq

// clang-format off
#define CTQ_REARRANGEMENTS(OP) \
  CTQ_FUNCTION_AND_METHOD(OP, flip, flip_options, flip) \
  CTQ_FUNCTION_AND_METHOD(OP, roll, roll_options, roll) \
  CTQ_MODULE_AND_FUNCTION(OP, channel_shuffle, "ChannelShuffle", channel_shuffle_options, channel_shuffle) \
  OP(fn, function_op, patch_merging_pad, "torchvision.models.swin_transformer._patch_merging_pad", no_options, patch_merging)
// clang-format on

CTQ_REARRANGEMENTS(CTQ_DECLARE_OP)

namespace ctq::descriptors {

namespace functions {

/// out[i] = in[place(index of i)], where place changes the index along each axis.
template <class Place>
void gather(const tensor_ref<const float>& in, const tensor_ref<float>& out, Place place) noexcept {
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::size_t rest = i, from = 0, stride = 1;
    for (int axis = in.shape.rank; axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(in.shape[axis]);
      from += static_cast<std::size_t>(place(axis, static_cast<int>(rest % extent))) * stride;
      stride *= extent;
      rest /= extent;
    }
    out[i] = in[from];
  }
}

template <class Isa>
[[gnu::noinline]] void flip(const op_arguments<float>& x, const attributes& a) noexcept {
  const shape dims = a.as<flip_options>().dims;
  const shape& in = x.in[0].shape;
  bool flipped[max_rank]{};
  for (int i = 0; i < dims.rank; ++i) flipped[dims[i]] = true;
  gather(x.in[0], x.out, [&](int axis, int i) { return flipped[axis] ? in[axis] - 1 - i : i; });
}

/// Shifts are 0 or more, see the shape rule.
template <class Isa>
[[gnu::noinline]] void roll(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<roll_options>();
  tensor_ref<const float> in = x.in[0];
  if (in.size() == 0) return;
  int back[max_rank]{};
  if (o.dims.rank == 0) {
    in.shape = {static_cast<int>(in.size())};
    back[0] = o.shifts[0];
  }
  for (int i = 0; i < o.dims.rank; ++i) {
    const int extent = in.shape[o.dims[i]];
    back[o.dims[i]] = (back[o.dims[i]] + o.shifts[i]) % extent;
  }
  gather(in, x.out, [&](int axis, int i) {
    return i < back[axis] ? i + (in.shape[axis] - back[axis]) : i - back[axis];
  });
}

/// Squares of two by two pixels become one pixel, column by column; pixels outside the image are 0.
template <class Isa>
[[gnu::noinline]] void patch_merging(const op_arguments<float>& x, const attributes&) noexcept {
  const shape& in = x.in[0].shape;
  const auto size = [&](int from_end) { return static_cast<std::size_t>(in[in.rank - from_end]); };
  const std::size_t height = size(3), width = size(2), channels = size(1);
  const std::size_t rows = (height + 1) / 2, columns = (width + 1) / 2;
  const std::size_t images = x.in[0].size() / (height * width * channels);
  float* out = x.out.data;
  for (std::size_t n = 0; n < images; ++n)
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t part = 0; part < 4; ++part) {
          const std::size_t y = 2 * row + part % 2, from = 2 * column + part / 2;
          const bool is_inside = y < height && from < width;
          const float* const pixel = x.in[0].data + ((n * height + y) * width + from) * channels;
          for (std::size_t c = 0; c < channels; ++c) *out++ = is_inside ? pixel[c] : 0.0F;
        }
}

}  // namespace functions

/// (…, H, W, C) becomes (…, H / 2, W / 2, 4 C), rounded up.
constexpr shape patch_merging_rule(ctq::view<shape> in, attributes&, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  shape out = in[0];
  if (out.rank < 3) return shape_rules::wrong_input(d, out, "requires an image, (…, H, W, C)");
  for (int axis = out.rank - 3; axis < out.rank - 1; ++axis) out[axis] = (out[axis] + 1) / 2;
  out[out.rank - 1] *= 4;
  return out;
}

constexpr shape flip_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<flip_options>();
  for (int i = 0; i < o.dims.rank; ++i) {
    if (!shape_rules::settle_axis(d, "dims has", o.dims[i], in[0].rank)) return {};
    for (int earlier = 0; earlier < i; ++earlier) {
      if (o.dims[earlier] != o.dims[i]) continue;
      shape_rules::complain(d, "dims has axis ", o.dims[i], " twice");
      return {};
    }
  }
  a = attributes{o};
  return in[0];
}

constexpr shape roll_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  auto o = a.as<roll_options>();
  if (o.shifts.rank < 1 || o.shifts.rank != (o.dims.rank == 0 ? 1 : o.dims.rank)) {
    shape_rules::complain(d, "shifts ", shape_text(o.shifts).view(), " and dims ",
                          shape_text(o.dims).view(), ":\none shift for each axis");
    return {};
  }
  for (int i = 0; i < o.shifts.rank; ++i) {
    int extent = static_cast<int>(numel(in[0]));
    if (o.dims.rank > 0) {
      if (!shape_rules::settle_axis(d, "dims has", o.dims[i], in[0].rank)) return {};
      extent = in[0][o.dims[i]];
    }
    if (extent > 0) o.shifts[i] = (o.shifts[i] % extent + extent) % extent;
  }
  a = attributes{o};
  return in[0];
}

constexpr shape channel_shuffle_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 0)) return {};
  const int groups = a.as<channel_shuffle_options>().groups;
  if (in[0].rank >= 3 && groups >= 1 && in[0][1] % groups == 0) return in[0];
  return shape_rules::wrong_input(d, in[0], "groups ", groups, " do not divide\nits channels");
}
/// The channels become two axes, in the other order.
constexpr strided_view shuffled_channels(attributes a, strided_view in) {
  const int groups = a.as<channel_shuffle_options>().groups;
  const int of_each = in.shape[1] / groups;
  strided_view out{.offset = in.offset};
  append_axis(out, in.shape[0], in.stride[0]);
  append_axis(out, of_each, in.stride[1]);
  append_axis(out, groups, of_each * in.stride[1]);
  for (int axis = 2; axis < in.shape.rank; ++axis)
    append_axis(out, in.shape[axis], in.stride[axis]);
  return out;
}

inline constexpr op_descriptor flip =
    keeping_integers(of_tensor(&flip_shape_rule, &functions::flip<isa::native>));
inline constexpr op_descriptor roll =
    keeping_integers(of_tensor(&roll_shape_rule, &functions::roll<isa::native>));
inline constexpr op_descriptor patch_merging =
    of_tensor(&patch_merging_rule, &functions::patch_merging<isa::native>);
inline constexpr op_descriptor channel_shuffle{
    .infer_shape = &channel_shuffle_shape_rule,
    .functions = copying<&shuffled_channels>,
    .schedule = {.how = schedule_as::copied, .view = &shuffled_channels}};

}  // namespace ctq::descriptors

CTQ_REARRANGEMENTS(CTQ_DESCRIBE_OP)
