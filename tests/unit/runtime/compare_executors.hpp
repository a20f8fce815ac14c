// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "ctq/runtime/convert.hpp"
#include "ctq/runtime/float_model.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/observed_model.hpp"
#include "ctq/runtime/session.hpp"
#include "small_net.hpp"

namespace small {

/// How the answers of a compiled int8 model differ from others'.
struct differences {
  int other_bytes = 0;  // inputs for which the interpreter of the reference kernels has others
  float apart = 0;      // from the interpreter: a sum over all outputs, as those below
  float error = 0;      // from the float model
  float size = 0;       // of the float outputs
};

struct nothing_more {
  template <class Plan, class Int8>
  [[nodiscard]] auto of(const Int8&, const ctq::weights&) const {
    return [](const auto&, const auto&) {};
  }
};

/// A model with random weights is prepared, calibrated and converted; then it computes random
/// inputs, as do the interpreter and the float model. `More` has a function
/// `of<plan>(int8 model, weights)`, whose result is called with each input and the output.
template <const auto& Model, class Backend, class Mapping,
          ctq::unsupported Policy = ctq::unsupported::error, class More = nothing_more>
differences compare_executors(int rounds, const More& more = {}) {
  std::mt19937 random{5};
  const auto weights = checked_weights<Model>(3);
  auto observed = ctq::prepare<Model, Backend, Mapping, Policy>(weights);
  using plan = typename decltype(observed)::plan;
  typename ctq::io_types<plan::int8_schedule>::input x;
  typename ctq::io_types<plan::int8_schedule>::output ours, expected, in_float;
  for (int i = 0; i < 8; ++i) {
    fill(x, random);
    observed(x);
  }
  const auto int8 = ctq::convert(observed);
  REQUIRE(int8);
  auto oracle = ctq::interpreter<ctq::reference_kernels>::make(
      plan::lowered.view(), weights.get(), int8->qparams(), plan::backend, plan::mapping);
  REQUIRE(oracle);
  ctq::float_model<Model, Backend> reference{weights};
  ctq::session session{*int8};
  auto compare_more = more.template of<plan>(*int8, weights.get());
  differences d;
  for (int i = 0; i < rounds; ++i) {
    fill(x, random);
    session(x, ours);
    oracle->run(x.data(), expected.data());
    reference(x, in_float);
    d.other_bytes += ours.values != expected.values ? 1 : 0;
    compare_more(x, ours);
    for (std::size_t k = 0; k < ours.size; ++k) {
      d.apart += std::fabs(ours[k] - expected[k]);
      d.error += std::fabs(ours[k] - in_float[k]);
      d.size += std::fabs(in_float[k]);
    }
  }
  return d;
}

}  // namespace small
