// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/operands.hpp"
#include "ctq/ops/builtin_ops.hpp"

// Fused modules: their parts, one after the other. In state_dict the members of part i are named
// "i.weight"; what has no number belongs to part 0, so that one may also pass those of the conv
// alone.

namespace ctq::float_ops {

namespace fusing {

/// The attributes of one part, without its number. `prefix` of part 0 may be left out.
[[nodiscard]] inline arguments part_of(const arguments& all, std::string_view prefix, bool first) {
  arguments part;
  for (const named_value& a : all) {
    const std::string_view name = a.name;
    if (name.starts_with(prefix))
      part.set(name.substr(prefix.size()), a.given);
    else if (first && name.find('.') == std::string_view::npos)
      part.set(name, a.given);
  }
  return part;
}

/// Runs one part on what the part before has given.
inline result<value> run_part(const operands& from, op_id op, std::string_view prefix, bool first,
                              const value& in) {
  arguments part = part_of(from.given(), prefix, first);
  part.set("input", in);
  auto out = from.call(op, part);
  return out ? out : from.failure(out.error().message());
}

}  // namespace fusing

namespace meaning {

/// nn::conv2d, nn::batch_norm2d, nn::relu
template <const auto&... Part>
result<value> sequence(operands& from) {
  result<value> x = from.any("input");
  if (from.failed()) return from.failure();
  std::size_t i = 0;
  for (const op_id part : {Part.id()...}) {
    x = fusing::run_part(from, part, std::to_string(i) + ".", i == 0, *x);
    if (!x) return x;
    ++i;
  }
  return x;
}

/// The sum of a conv and a second input, then relu if there is one.
template <bool Relu>
result<value> conv_add(operands& from) {
  const value in = from.any("input"), other = from.any("other");
  if (from.failed()) return from.failure();
  auto x = fusing::run_part(from, nn::conv2d.id(), "0.", true, in);
  if (!x) return x;
  x = from.call(op::add.id(), {{"input", *x}, {"other", other}});
  return x && Relu ? from.call(nn::relu.id(), {{"input", *x}}) : x;
}

/// A module of quantization-aware training as it is evaluated without quantization: its conv or
/// linear has no number, its batch norm is called bn.
template <const auto& Root, const auto& Norm, bool Relu>
result<value> with_norm(operands& from) {
  const value in = from.any("input");
  if (from.failed()) return from.failure();
  auto x = fusing::run_part(from, Root.id(), "0.", true, in);
  if (x) x = fusing::run_part(from, Norm.id(), "bn.", false, *x);
  return x && Relu ? from.call(nn::relu.id(), {{"input", *x}}) : x;
}

inline constexpr op_meaning fused_modules[] = {
    {nni::conv_relu1d.id(), "input", sequence<nn::conv1d, nn::relu>},
    {nni::conv_relu2d.id(), "input", sequence<nn::conv2d, nn::relu>},
    {nni::conv_relu3d.id(), "input", sequence<nn::conv3d, nn::relu>},
    {nni::conv_bn1d.id(), "input", sequence<nn::conv1d, nn::batch_norm1d>},
    {nni::conv_bn2d.id(), "input", sequence<nn::conv2d, nn::batch_norm2d>},
    {nni::conv_bn3d.id(), "input", sequence<nn::conv3d, nn::batch_norm3d>},
    {nni::conv_bn_relu1d.id(), "input", sequence<nn::conv1d, nn::batch_norm1d, nn::relu>},
    {nni::conv_bn_relu2d.id(), "input", sequence<nn::conv2d, nn::batch_norm2d, nn::relu>},
    {nni::conv_bn_relu3d.id(), "input", sequence<nn::conv3d, nn::batch_norm3d, nn::relu>},
    {nni::conv_add2d.id(), "input, other", conv_add<false>},
    {nni::conv_add_relu2d.id(), "input, other", conv_add<true>},
    {nni::linear_relu.id(), "input", sequence<nn::linear, nn::relu>},
    {nni::linear_bn1d.id(), "input", sequence<nn::linear, nn::batch_norm1d>},
    {nni::linear_leaky_relu.id(), "input", sequence<nn::linear, nn::leaky_relu>},
    {nni::linear_tanh.id(), "input", sequence<nn::linear, nn::tanh>},
    {nni::bn_relu2d.id(), "input", sequence<nn::batch_norm2d, nn::relu>},
    {nni::bn_relu3d.id(), "input", sequence<nn::batch_norm3d, nn::relu>},
    {nniqat::conv_relu1d.id(), "input", sequence<nn::conv1d, nn::relu>},
    {nniqat::conv_relu2d.id(), "input", sequence<nn::conv2d, nn::relu>},
    {nniqat::conv_relu3d.id(), "input", sequence<nn::conv3d, nn::relu>},
    {nniqat::conv_bn1d.id(), "input", with_norm<nn::conv1d, nn::batch_norm1d, false>},
    {nniqat::conv_bn2d.id(), "input", with_norm<nn::conv2d, nn::batch_norm2d, false>},
    {nniqat::conv_bn3d.id(), "input", with_norm<nn::conv3d, nn::batch_norm3d, false>},
    {nniqat::conv_bn_relu1d.id(), "input", with_norm<nn::conv1d, nn::batch_norm1d, true>},
    {nniqat::conv_bn_relu2d.id(), "input", with_norm<nn::conv2d, nn::batch_norm2d, true>},
    {nniqat::conv_bn_relu3d.id(), "input", with_norm<nn::conv3d, nn::batch_norm3d, true>},
    {nniqat::linear_relu.id(), "input", sequence<nn::linear, nn::relu>},
    {nniqat::linear_bn1d.id(), "input", with_norm<nn::linear, nn::batch_norm1d, false>},
};

}  // namespace meaning
}  // namespace ctq::float_ops
