// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <initializer_list>

#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/passes/schedule/step.hpp"

// A residual addition or a function of one number becomes part of the kernel of the layer right
// before it, if it reads the output of that layer and no other step does. That output is then never
// written to memory. The bytes are those of the two kernels, run one after the other.
//
// A clamp whose output has the qparams of its input becomes bounds of the kernel before it, which
// clamps in any case. The bytes are those of dequantize, clamp, quantize: with equal qparams an
// integer within the bounds stays as it is (kernels::same_scale_and_zero_point), and quantize is
// monotonic, so those outside become the integer of the bound.

namespace ctq::scheduling {

/// Whether ops are fused into the kernels of layers. An interpreter runs them separately, except
/// for clamps, which do not change a kernel.
enum class layers : unsigned char { alone, fused };

/// The post-op that a step becomes in the layer whose output it reads.
[[nodiscard]] constexpr fused_op fused_as(const kernel_signature& signature) {
  if (signature.kernel == kernel::binary_add)
    return signature.relu ? fused_op::add_relu : fused_op::add;
  if (signature.kernel != kernel::elementwise) return fused_op::nothing;
  return signature.called_op->descriptor->functions.needs_table(signature.in) ? fused_op::table
                                                                              : fused_op::nothing;
}

[[nodiscard]] constexpr bool can_take_fused_op(const kernel_signature& layer) {
  return (layer.kernel == kernel::conv2d || layer.kernel == kernel::linear) && layer.out != f32 &&
         layer.then == fused_op::nothing;
}

/// Whether a step only clamps integers that keep their qparams.
[[nodiscard]] constexpr bool is_clamp_of_integers(const step& s) {
  return s.signature.kernel == kernel::elementwise && s.signature.called_op->descriptor->is_clamp &&
         s.signature.called_op->descriptor->functions.needs_table(s.signature.in) &&
         s.signature.in != f32 && s.in_observer[0] == s.out_observer;
}

/// Whether the range of a step's output can be narrowed.
[[nodiscard]] constexpr bool has_output_range(const step& s) {
  const kernel_id k = s.signature.kernel;
  return (kernels::facts_of(k).has_weights || k == kernel::binary_add) && s.signature.out != f32 &&
         s.signature.then != fused_op::table && s.clamp_node < 0;
}

/// The steps of a schedule with the values that they read and write.
template <class Steps, class Indices, class Values, class Areas>
struct steps_and_values {
  Steps& steps;
  Indices& in;         // by step: the value that it reads
  Indices& second_in;  // by step: the other value, or -1
  Indices& written;    // by step: the value that it writes
  Values& values;      // when each is written and last read, in the original steps
  const Areas& area;   // by value

  /// Makes step `s` run as part of the step `layer`, which then reads its operands later, and whose
  /// own output needs no memory.
  constexpr void merge(int layer, int s) {
    values[written[layer]].bytes = 0;
    for (const int operand : {in[layer], second_in[layer]})
      if (operand >= 0 && values[operand].read < s) values[operand].read = s;
    written[layer] = written[s];
  }

  /// Makes step `s` a post-op of a layer.
  ///   other  which operand of the step is not the layer's output
  constexpr void fuse(int layer, int s, fused_op then, int other) {
    merge(layer, s);
    const bool has_other = then != fused_op::table;
    steps[layer].signature.then = then;
    steps[layer].fused_node = steps[s].node;
    steps[layer].fused_observer = steps[layer].out_observer;
    steps[layer].in_observer[1] = has_other ? steps[s].in_observer[other] : -1;
    steps[layer].out_observer = steps[s].out_observer;
    second_in[layer] = !has_other ? -1 : other == 1 ? second_in[s] : in[s];
  }
};

/// Fuses steps into the preceding layers, and returns the number of steps that are left. The fused
/// layer runs in the place of the op, so its operands live until then.
template <class... Lists>
[[nodiscard]] constexpr int fuse_steps(steps_and_values<Lists...> x, int count, layers mode) {
  auto& steps = x.steps;
  int kept = 0;
  bool follows = false;  // whether the last step that was kept is the one before this one
  for (int s = 0; s < count; ++s) {
    const int layer = kept - 1;
    const int between = follows ? x.written[layer] : -1;
    const bool first = x.in[s] == between;
    const bool only_reader = follows && first != (x.second_in[s] == between) &&
                             x.values[between].read == s && x.area[between] == place::area::arena;
    if (only_reader && has_output_range(steps[layer]) && is_clamp_of_integers(steps[s])) {
      x.merge(layer, s);
      steps[layer].clamp_node = steps[s].node;
      continue;
    }
    const fused_op then =
        mode == layers::fused && only_reader && can_take_fused_op(steps[layer].signature) &&
                steps[layer].clamp_node < 0 && steps[layer].signature.out == steps[s].signature.in
            ? fused_as(steps[s].signature)
            : fused_op::nothing;
    if (then != fused_op::nothing) {
      x.fuse(layer, s, then, first ? 1 : 0);
      continue;
    }
    if (kept != s) {
      steps[kept] = steps[s];
      x.in[kept] = x.in[s];
      x.second_in[kept] = x.second_in[s];
      x.written[kept] = x.written[s];
    }
    ++kept;
    follows = true;
  }
  return kept;
}

}  // namespace ctq::scheduling
