// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/step.hpp"

#include <doctest/doctest.h>

#include "../to_static.hpp"

using namespace ctq;

namespace {

constexpr dynamic_schedule two_steps() {
  dynamic_schedule s;
  s.steps.push_back(
      step{.signature = {.kernel = kernel::quantize, .in = f32, .out = quint8}, .node = 1});
  s.steps.push_back(
      step{.signature = {.kernel = kernel::relu, .in = quint8, .out = quint8}, .node = 2});
  s.observations.push_back({.after_step = -1, .observer = 0, .node = 0, .where = {}});
  s.arena_bytes = 128;
  s.add_input({.shape = {1, 4}});
  s.add_output({.shape = {1, 2}, .dtype = quint8, .observer = 3});
  return s;
}

constexpr auto static_copy = to_static<5, 4>(two_steps());
static_assert(static_copy.count == 2 && static_copy.observation_count == 1 &&
              static_copy.arena_bytes == 128);
static_assert(static_copy.steps[1].node == 2 &&
              static_copy.steps[1].signature.kernel == kernel::relu);
static_assert(static_copy.observations[0].after_step == -1);
static_assert(static_copy.input_count == 1 && static_copy.inputs[0].shape == shape{1, 4});
static_assert(static_copy.output_count == 1 &&
              static_copy.outputs[0] == model_tensor{{1, 2}, quint8, 3});
static_assert(!static_copy.problem.any());

static_assert(step{}.in[0] == place{} && step{}.out.in == place::area::none);
static_assert(step{}.in_observer[0] == -1 && step{}.out_observer == -1);

TEST_CASE("what is wrong with a schedule stays with it") {
  dynamic_schedule s = two_steps();
  s.problem.line("no kernel");
  CHECK(to_static<2, 1>(s).problem.message() == "no kernel");
}

}  // namespace
