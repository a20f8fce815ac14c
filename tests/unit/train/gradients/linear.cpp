// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/gradients/linear.hpp"

#include <doctest/doctest.h>

#include "../differences.hpp"
#include "ctq/core/isa.hpp"

using differences::vector;
namespace training = ctq::training;

TEST_CASE("a linear layer and its gradients equal definition and central differences") {
  const training::linear_geometry g{5, 19, 7};
  vector in = differences::random(g.rows * g.inputs, 1);
  vector weight = differences::random(g.outputs * g.inputs, 2);
  const vector bias = differences::random(g.outputs, 3);
  const vector grad_out = differences::random(g.rows * g.outputs, 4);
  vector out(g.rows * g.outputs);
  const auto run = [&] {
    training::apply_linear<ctq::isa::native>(g, in.data(), weight.data(), bias.data(), out.data());
    return differences::loss(out, grad_out);
  };
  run();
  for (std::size_t r = 0; r < g.rows; ++r)
    for (std::size_t o = 0; o < g.outputs; ++o) {
      double sum = bias[o];
      for (std::size_t i = 0; i < g.inputs; ++i)
        sum += in[r * g.inputs + i] * weight[o * g.inputs + i];
      CHECK(out[r * g.outputs + o] == doctest::Approx(sum).epsilon(1e-12));
    }
  vector grad_in(in.size()), grad_weight(weight.size());
  training::add_linear_gradient<ctq::isa::native>(g, in.data(), weight.data(), grad_out.data(),
                                                  grad_in.data(), grad_weight.data());
  differences::check(in, grad_in, run);
  differences::check(weight, grad_weight, run);
}
