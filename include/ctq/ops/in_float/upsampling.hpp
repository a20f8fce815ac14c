// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/ops/define_ops.hpp"
#include "ctq/ops/resizes.hpp"

// The old names of nn.Upsample along two axes. Bilinear means that corners are aligned.

namespace ctq {

/// Either size or scale_factor. The options of nn.Upsample begin with the same members.
struct upsampling_options {
  ctq::shape size{};  // of the output: a number for both axes of pixels, or one for each
  float scale_factor = 0.0F;
};

}  // namespace ctq

// clang-format off
#define CTQ_UPSAMPLING(OP) \
  OP(nn, module_op, upsampling_nearest2d, "torch.nn.UpsamplingNearest2d", upsampling_options, upsampling<interpolation::nearest>) \
  OP(nn, module_op, upsampling_bilinear2d, "torch.nn.UpsamplingBilinear2d", upsampling_options, upsampling<interpolation::bilinear>)
// clang-format on

CTQ_UPSAMPLING(CTQ_DECLARE_OP)

namespace ctq::descriptors {

/// Completes the options to those of nn.Upsample.
template <interpolation Mode>
constexpr shape upsampling_shape_rule(ctq::view<shape> in, attributes& a, diagnostic& d) {
  if (!shape_rules::needs(d, in, 1, 4)) return {};
  const auto o = a.as<upsampling_options>();
  a = attributes{
      interpolate_options{o.size, o.scale_factor, Mode, Mode == interpolation::bilinear}};
  return interpolate_shape_rule(in, a, d);
}

template <interpolation Mode>
inline constexpr op_descriptor upsampling = by_rule(upsample, &upsampling_shape_rule<Mode>);

}  // namespace ctq::descriptors

CTQ_UPSAMPLING(CTQ_DESCRIBE_OP)
