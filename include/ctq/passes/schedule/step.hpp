// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/graph/node.hpp"

// A schedule: the steps that compute a graph, as plain data. Steps with equal signatures share
// machine code; everything else of a step is an operand.

namespace ctq {

/// Where a value is in memory.
struct place {
  enum class area : unsigned char { none, arena, input, output, constant };
  area in = area::none;
  std::size_t offset{};  // bytes from the start of the arena or of the constants; of an input or
                         // an output its index

  friend constexpr bool operator==(const place&, const place&) = default;
};

/// What the machine code of a step is compiled for: its kernel, element types and extents, or only
/// its kernel and element types, so that steps share it and a program compiles in less time.
enum class kernel_code_kind : unsigned char { shared, specialized };

/// One call of a kernel.
struct step {
  kernel_signature signature{};
  kernel_code_kind code = kernel_code_kind::shared;
  int node = -1;  // of the scheduled graph: its name and its weights
  place in[2]{};
  place out{};
  int in_observer[2] = {-1, -1};  // by operand: whose qparams it has
  int out_observer = -1;
  int fused_node = -1;      // of an op that is fused into a layer's kernel
  int fused_observer = -1;  // whose qparams the input of that op has
  int clamp_node = -1;      // of a clamp that follows: it narrows the range of the output
};

/// Whether a step calls the functions of the op that follows a layer in one node. The layer itself
/// calls none.
[[nodiscard]] constexpr bool is_called_after_layer(const step& s, const node& n) {
  return n.op->descriptor->schedule.how == schedule_as::layer && s.signature.called_op != nullptr;
}

/// A value that the observed model passes to an observer after a step; -1: before the first.
struct observation_point {
  int after_step{};
  int observer{};
  int node{};
  place where{};
};

/// A tensor that a model reads or writes.
struct model_tensor {
  ctq::shape shape{};
  ctq::dtype dtype = f32;
  int observer = -1;  // whose qparams it has

  friend constexpr bool operator==(const model_tensor&, const model_tensor&) = default;
};

/// What a schedule has beside its steps.
struct schedule_record {
  std::size_t arena_bytes{};
  int input_count{};
  int output_count{};
  diagnostic problem{};
};

/// A schedule that is made at run time.
struct dynamic_schedule : schedule_record {
  static constexpr std::size_t max_steps = 0;  // as many as there are

  list<step> steps;
  list<observation_point> observations;
  list<model_tensor> inputs;   // in the order of the placeholders
  list<model_tensor> outputs;  // in the order in which the model returns them

  /// Allocates steps and observations, which are then written by index; close() sets their number.
  constexpr void open(int step_count, int observation_count) {
    steps = list<step>(step_count);
    observations = list<observation_point>(observation_count);
  }
  constexpr void close(int step_count, int observation_count) {
    steps.truncate(step_count);
    observations.truncate(observation_count);
  }

  constexpr void add_input(const model_tensor& t) {
    inputs.push_back(t);
    ++input_count;
  }
  constexpr void add_output(const model_tensor& t) {
    outputs.push_back(t);
    ++output_count;
  }
};

/// A schedule in a constant.
template <std::size_t Steps, std::size_t Observations, std::size_t Inputs = 1,
          std::size_t Outputs = 1>
struct static_schedule : schedule_record {
  static constexpr std::size_t max_steps = Steps > 0 ? Steps : 1;

  step steps[max_steps]{};
  observation_point observations[Observations + 1]{};
  model_tensor inputs[Inputs + 1]{};
  model_tensor outputs[Outputs + 1]{};
  int count{};
  int observation_count{};

  constexpr static_schedule() = default;
  /// write(schedule) fills it in place.
  template <class Write>
  constexpr explicit static_schedule(Write write) {
    write(*this);
  }

  constexpr void open(int, int) {}
  constexpr void close(int steps_written, int observations_written) {
    count = steps_written;
    observation_count = observations_written;
  }

  constexpr void add_input(const model_tensor& t) { inputs[input_count++] = t; }
  constexpr void add_output(const model_tensor& t) { outputs[output_count++] = t; }
};

}  // namespace ctq
