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

/// Whether the steps of a schedule may be joined. An interpreter runs them alone.
enum class layers : unsigned char { alone, joined };

/// What a step is in a layer whose output it reads.
[[nodiscard]] constexpr joined joined_as(const kernel_signature& key) {
  if (key.op == kernel::binary_add) return key.relu ? joined::add_relu : joined::add;
  if (key.op != kernel::elementwise) return joined::nothing;
  return key.own->descriptor->functions.needs_table(key.in) ? joined::table : joined::nothing;
}

[[nodiscard]] constexpr bool may_join(const kernel_signature& layer) {
  return (layer.op == kernel::conv2d || layer.op == kernel::linear) && layer.out != f32 &&
         layer.then == joined::nothing;
}

/// Joins what can be joined, and returns how many steps are left. A joined layer runs where the op
/// did, so its operands live until then.
///   in, second_in, written  by step: values, second_in -1 if there is none
///   values                  when each is written and last read, in steps as they were
///   area                    where each value lies
template <class Steps, class Indices, class Values, class Areas>
[[nodiscard]] constexpr int join_steps(Steps& steps, int count, Indices& in, Indices& second_in,
                                       Indices& written, Values& values, const Areas& area) {
  int kept = 0;
  bool follows = false;  // the last step kept is the one before this one
  for (int s = 0; s < count; ++s) {
    const int layer = kept - 1;
    const int between = follows ? written[layer] : -1;
    const bool first = in[s] == between;
    const bool only_reader = follows && first != (second_in[s] == between) &&
                             values[between].read == s && area[between] == place::area::arena;
    const joined then =
        only_reader && may_join(steps[layer].key) && steps[layer].key.out == steps[s].key.in
            ? joined_as(steps[s].key)
            : joined::nothing;
    if (then == joined::nothing) {
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
    steps[layer].joined_node = steps[s].node;
    steps[layer].joined_observer = steps[layer].out_observer;
    steps[layer].in_observer[1] = then == joined::table ? -1 : steps[s].in_observer[first ? 1 : 0];
    steps[layer].out_observer = steps[s].out_observer;
    second_in[layer] = then == joined::table ? -1 : first ? second_in[s] : in[s];
    written[layer] = written[s];
    follows = false;
  }
  return kept;
}

}  // namespace ctq::scheduling
