// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/float_op.hpp"
#include "ctq/ops/op_table.hpp"

// Fused modules run their parts in sequence. In state_dict the members of part i are named
// "i.weight"; names without a number belong to part 0, so that the attributes of the conv alone are
// also accepted.

namespace ctq::float_ops {

namespace fusing {

/// The op itself if it is a fused module; for a module of quantization-aware training the fused
/// module with the same name, as nni.ConvBn2d for nniqat.ConvBn2d; else null.
[[nodiscard]] constexpr op_id fused_form(op_id op) {
  if (op->descriptor->fused_of[0] != nullptr) return op;
  constexpr std::string_view trained = "torch.ao.nn.intrinsic.qat.";
  if (!op->name.starts_with(trained)) return nullptr;
  for (const op_id fused : naming::builtin_ops)
    if (fused->descriptor->fused_of[0] != nullptr &&
        fused->name.ends_with(op->name.substr(trained.size() - 1)))
      return fused;
  return nullptr;
}

/// The attributes of one part, without its number. The prefix of part 0 is optional.
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

/// Runs one part on the output of the previous one.
inline result<value> run_part(const operands& from, op_id op, std::string_view prefix, bool first,
                              const value& in) {
  arguments part = part_of(from.given(), prefix, first);
  part.set("input", in);
  auto out = from.call(op, part);
  return out ? out : from.failure(out.error().message());
}

}  // namespace fusing

namespace implementation {

/// Calls the parts of a fused module in turn. A module of quantization-aware training, which is
/// evaluated without quantization, has no numbers in names: its batch norm is "bn".
inline result<value> sequence(operands& from) {
  const op_id fused = fusing::fused_form(from.op());
  result<value> x = from.any("input");
  if (from.failed()) return from.failure();
  for (std::size_t i = 0; x && i < 3 && fused->descriptor->fused_of[i] != nullptr; ++i) {
    const op_id part = fused->descriptor->fused_of[i];
    const bool is_bn = fused != from.op() && part->descriptor->is_batch_norm;
    x = fusing::run_part(from, part, is_bn ? "bn." : std::to_string(i) + ".", i == 0, *x);
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

inline constexpr float_op fused_sums[] = {
    {"conv_add2d", "input, other", conv_add<false>, "input, other"},
    {"conv_add_relu2d", "input, other", conv_add<true>, "input, other"},
};

}  // namespace implementation
}  // namespace ctq::float_ops
