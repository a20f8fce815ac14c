// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

#include "ctq/core/diagnostic.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/list.hpp"
#include "ctq/core/shape.hpp"

// A schedule: the steps that compute a graph, as plain data. Equal keys share machine code;
// everything else of a step is an operand.

namespace ctq {

/// The place of a value.
struct place {
  enum class area : unsigned char { none, arena, input, output };
  area in = area::none;
  std::size_t offset{};  // bytes, in the arena

  friend constexpr bool operator==(const place&, const place&) = default;
};

/// What the machine code of a step is compiled for: its extents too, or its kernel and element
/// types alone, so that steps share it and a program compiles in less time.
enum class code_for : unsigned char { types, extents };

struct step {
  kernel_signature key{};
  code_for code = code_for::types;
  int node = -1;  // of the scheduled graph: its name and its weights
  place in[2]{};
  place out{};
  int in_observer[2] = {-1, -1};  // by operand: whose qparams it has
  int out_observer = -1;
  int fused_node = -1;      // of an op that is fused into a layer's kernel
  int fused_observer = -1;  // whose qparams the input of that op has
  int clamp_node = -1;      // of a clamp that follows: it narrows the range of the output
};

/// A value that an observer of the observed model gets, after that many steps.
struct observation_point {
  int after_step{};
  int observer{};
  int node{};
  place where{};
};

/// A schedule without its steps.
struct schedule_record {
  std::size_t arena_bytes{};
  shape input_shape{};
  shape output_shape{};
  dtype output_dtype = f32;
  int output_observer = -1;
  diagnostic problem{};
};

struct dynamic_schedule : schedule_record {
  static constexpr std::size_t max_steps = 0;  // as many as there are
  static constexpr std::size_t max_observations = 0;

  list<step> steps;
  list<observation_point> observations;

  /// Allocates steps and observations, which are then written by index; close() sets their number.
  constexpr void open(int step_count, int observation_count) {
    steps = list<step>(step_count);
    observations = list<observation_point>(observation_count);
  }
  constexpr void close(int step_count, int observation_count) {
    steps.truncate(step_count);
    observations.truncate(observation_count);
  }
};

/// A schedule in a constant.
template <std::size_t Steps, std::size_t Observations>
struct static_schedule : schedule_record {
  static constexpr std::size_t max_steps = Steps > 0 ? Steps : 1;
  static constexpr std::size_t max_observations = Observations;

  step steps[max_steps]{};
  observation_point observations[Observations + 1]{};
  int count{};
  int observation_count{};

  constexpr static_schedule() = default;
  /// Written in place, by write(schedule).
  template <class Write>
  constexpr explicit static_schedule(Write write) {
    write(*this);
  }

  constexpr void open(int, int) {}
  constexpr void close(int steps_written, int observations_written) {
    count = steps_written;
    observation_count = observations_written;
  }
};

}  // namespace ctq
