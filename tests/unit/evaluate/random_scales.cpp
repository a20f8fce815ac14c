// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "../random_model.hpp"
#include "../runtime/small_net.hpp"
#include "ctq/evaluate/evaluator.hpp"
#include "ctq/runtime/interpreter.hpp"
#include "ctq/runtime/quantized_model.hpp"

// One compiled model with weights and scales that are any float32: executor, interpreter and
// evaluator give the same bytes.

using namespace ctq;

namespace {

using net_plan = ctq::plan<small::net, x86, small::int8>;

std::vector<qparams> random_numbers(std::mt19937& random) {
  std::uniform_real_distribution<float> scale(0.005F, 0.08F);
  std::uniform_int_distribution<std::int32_t> zero_point(0, 255);
  std::vector<qparams> all(static_cast<std::size_t>(net_plan::prepared.observers));
  for (qparams& q : all) q = {.scale = scale(random), .zero_point = zero_point(random)};
  return all;
}

module_state modules_of(const weights& w) {
  module_state m;
  for (const weight_tensor& t : w.tensors())
    m.set_tensor(t.name, float_ops::tensor{t.shape, t.values});
  return m;
}

}  // namespace

TEST_CASE("a compiled model, interpreted and evaluated, gives the same bytes whatever its scales") {
  const unsigned cases = model_count(2000);
  unsigned compared = 0;
  for (unsigned seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    std::mt19937 random{seed};
    const weights w = small::random_weights<small::net>(seed);
    const std::vector<qparams> numbers = random_numbers(random);
    tensor<float, 1, 3, 9, 11> x;
    small::fill(x, random);

    auto model = quantized_model<net_plan>::make(small::state_of<net_plan>(w, numbers));
    auto oracle = interpreter<reference_kernels>::make(net_plan::lowered.view(), w, numbers,
                                                       net_plan::backend, net_plan::mapping);
    REQUIRE(model.has_value() == oracle.has_value());
    if (!model) continue;
    const tensor<float, 1, 7> compiled = (*model)(x);
    tensor<float, 1, 7> interpreted;
    oracle->run(x.data(), interpreted.data());
    REQUIRE(compiled.values == interpreted.values);

    model_qparams qparams;
    for (int o = 0; o < net_plan::prepared.observers; ++o)
      qparams.activations[o] = tensor_qparams_of(quint8, numbers[static_cast<std::size_t>(o)]);
    const module_state modules = modules_of(w);
    evaluator<stage::lowered, fast_kernels> evaluate(net_plan::lowered.view(), modules,
                                                     {.qparams = &qparams});
    const auto values = evaluate.run({float_ops::tensor{{1, 3, 9, 11}, {x.begin(), x.end()}}});
    REQUIRE(values.has_value());
    const float_ops::value evaluated = values->back().real();
    REQUIRE(std::vector<float>(compiled.begin(), compiled.end()) ==
            evaluated.get_if<float_ops::tensor>()->data);
    ++compared;
  }
  CHECK(compared == cases);
}
