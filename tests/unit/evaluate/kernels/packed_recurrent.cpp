// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/kernels/packed_recurrent.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "ctq/evaluate/float_ops/recurrent_steps.hpp"
#include "ctq/evaluate/kernels/kernel_calls.hpp"

using namespace ctq;

namespace {

float_ops::tensor random_tensor(float_ops::extents shape, unsigned seed) {
  std::mt19937 random{seed};
  std::uniform_real_distribution<float> values(-1.0F, 1.0F);
  float_ops::tensor t = float_ops::filled(std::move(shape));
  for (float& x : t.data) x = values(random);
  return t;
}

constexpr int steps = 3, batch = 2, inputs = 5, hidden = 4;
constexpr recurrent_shape lstm{.cell = recurrent_cell::lstm,
                               .steps = steps,
                               .batch = batch,
                               .input = inputs,
                               .hidden = hidden,
                               .has_state = 1};

/// Integers of [-100, 100] with a scale of 1/128.
node_value integers_of(const float_ops::extents& shape, unsigned seed, std::int32_t zero_point) {
  const float_ops::tensor real = random_tensor(shape, seed);
  std::vector<std::int32_t> integers;
  for (const float x : real.data) integers.push_back(static_cast<std::int32_t>(100.0F * x));
  return quantized_tensor{{qint8, -1, {0x1p-7}, {zero_point}, {}}, shape, integers};
}

}  // namespace

TEST_CASE_TEMPLATE("a network of float weights is that of single steps", Kernels, reference_kernels,
                   fast_kernels) {
  kernel_calls calls{*kernel_functions_of<Kernels>()};
  const float_ops::tensor x = random_tensor({steps, batch, inputs}, 1);
  const float_ops::tensor h = random_tensor({batch, hidden}, 2),
                          c = random_tensor({batch, hidden}, 3);
  const float_ops::tensor ih = random_tensor({4 * hidden, inputs}, 4),
                          hh = random_tensor({4 * hidden, hidden}, 5);
  std::vector<float> initial = h.data;
  initial.insert(initial.end(), c.data.begin(), c.data.end());
  std::vector<recurrent_weight_values> weights{{float_ops::value(ih), {}},
                                               {float_ops::value(hh), {}}};
  for (const bool has_bias : {false, true}) {
    const float_ops::tensor bias = random_tensor({4 * hidden}, 6);
    if (has_bias) weights[1].bias = float_ops::value(bias);  // is packed again
    const auto found = calls.recurrent(kernel::rnn, lstm, x.data, initial, weights);
    REQUIRE(found.has_value());
    float_ops::recurring::state s{h, c};
    const auto expected = float_ops::recurring::run(
        recurrent_cell::lstm, x, s, {&ih, &hh, nullptr, has_bias ? &bias : nullptr}, false);
    REQUIRE(expected.has_value());
    std::vector<float> all = expected->data;
    all.insert(all.end(), s.h.data.begin(), s.h.data.end());
    all.insert(all.end(), s.c.data.begin(), s.c.data.end());
    REQUIRE(found->size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      CHECK((*found)[i] == doctest::Approx(all[i]).epsilon(1e-5));
  }
}

TEST_CASE("packed weights do not keep weights alive that were replaced") {
  kernel_calls calls{*kernel_functions_of<reference_kernels>()};
  const float_ops::tensor x = random_tensor({steps, batch, inputs}, 1);
  const std::vector<float> initial(2 * batch * hidden);
  const auto run = [&](unsigned seed) {
    const float_ops::value ih = random_tensor({4 * hidden, inputs}, seed);
    const std::vector<recurrent_weight_values> weights{
        {ih, {}}, {float_ops::value(random_tensor({4 * hidden, hidden}, 5)), {}}};
    CHECK(calls.recurrent(kernel::rnn, lstm, x.data, initial, weights).has_value());
    return std::weak_ptr(ih.share<float_ops::tensor>());
  };
  CHECK(run(4).expired());
  CHECK(run(5).expired());
}

TEST_CASE("integers have zero points of 0, and their kernel is the same on each instruction set") {
  const float_ops::tensor x = random_tensor({steps, batch, inputs}, 1);
  const std::vector<float> initial(2 * batch * hidden, 0.25F);
  kernel_calls reference{*kernel_functions_of<reference_kernels>()};
  kernel_calls fast{*kernel_functions_of<fast_kernels>()};
  for (const std::int32_t zero_point : {0, 1}) {
    const std::vector<recurrent_weight_values> weights{
        {integers_of({4 * hidden, inputs}, 2, zero_point), {}},
        {integers_of({4 * hidden, hidden}, 3, 0), {}}};
    const auto expected = reference.recurrent(kernel::rnn_dynamic, lstm, x.data, initial, weights);
    const auto found = fast.recurrent(kernel::rnn_dynamic, lstm, x.data, initial, weights);
    CHECK(expected.has_value() == (zero_point == 0));
    CHECK(found == expected);
  }
}
