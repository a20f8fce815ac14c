// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/ops/builtin_ops.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/passes/schedule/step.hpp"

// A residual addition, or a function of one number, whose input is what the layer right before it
// gives and what nobody else reads, becomes part of that layer's kernel: its values are never
// written to memory. The bytes are those of the two kernels, one after the other.

namespace ctq::scheduling {

/// Whether ops are fused into the kernels of layers. An interpreter runs them separately.
enum class layers : unsigned char { alone, fused };

/// The post-op that a step becomes in the layer whose output it reads.
[[nodiscard]] constexpr fused_op fused_as(const kernel_signature& key) {
  if (key.kernel == kernel::binary_add) return key.relu ? fused_op::add_relu : fused_op::add;
  if (key.kernel != kernel::elementwise) return fused_op::nothing;
  return key.called_op->descriptor->functions.needs_table(key.in) ? fused_op::table
                                                                  : fused_op::nothing;
}

[[nodiscard]] constexpr bool can_take_fused_op(const kernel_signature& layer) {
  return (layer.kernel == kernel::conv2d || layer.kernel == kernel::linear) && layer.out != f32 &&
         layer.then == fused_op::nothing;
}

/// Fuses steps into the preceding layers, and returns the number of steps that are left. The fused
/// layer runs in the place of the op, so its operands live until then.
///   in, second_in, written  by step: values, second_in -1 if there is none
///   values                  when each is written and last read, in the original steps
///   area                    of each value
template <class Steps, class Indices, class Values, class Areas>
[[nodiscard]] constexpr int fuse_steps(Steps& steps, int count, Indices& in, Indices& second_in,
                                       Indices& written, Values& values, const Areas& area) {
  int kept = 0;
  bool follows = false;  // the last step kept is the one before this one
  for (int s = 0; s < count; ++s) {
    const int layer = kept - 1;
    const int between = follows ? written[layer] : -1;
    const bool first = in[s] == between;
    const bool only_reader = follows && first != (second_in[s] == between) &&
                             values[between].read == s && area[between] == place::area::arena;
    const fused_op then = only_reader && can_take_fused_op(steps[layer].key) &&
                                  steps[layer].key.out == steps[s].key.in
                              ? fused_as(steps[s].key)
                              : fused_op::nothing;
    if (then == fused_op::nothing) {
      if (kept != s) {
        steps[kept] = steps[s];
        in[kept] = in[s];
        second_in[kept] = second_in[s];
        written[kept] = written[s];
      }
      ++kept;
      follows = true;
      continue;
    }
    values[between].bytes = 0;
    if (values[in[layer]].read < s) values[in[layer]].read = s;
    steps[layer].key.then = then;
    steps[layer].fused_node = steps[s].node;
    steps[layer].fused_observer = steps[layer].out_observer;
    steps[layer].in_observer[1] =
        then == fused_op::table ? -1 : steps[s].in_observer[first ? 1 : 0];
    steps[layer].out_observer = steps[s].out_observer;
    second_in[layer] = then == fused_op::table ? -1 : first ? second_in[s] : in[s];
    written[layer] = written[s];
    follows = false;
  }
  return kept;
}

}  // namespace ctq::scheduling
