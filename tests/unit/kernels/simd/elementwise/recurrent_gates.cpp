// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/recurrent_gates.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "ctq/core/isa.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

constexpr recurrent_cell cells[] = {recurrent_cell::rnn_tanh, recurrent_cell::rnn_relu,
                                    recurrent_cell::lstm, recurrent_cell::gru};

/// A few units, some of them large.
std::vector<float> products(std::size_t n, unsigned seed) {
  std::vector<float> all = samples::plain_floats(n, seed);
  for (std::size_t i = 0; i < n; ++i) all[i] *= i % 7 == 0 ? 4.0F : 0.2F;
  return all;
}

void check(samples::generator& random, unsigned seed) {
  recurrent_step s{.cell = cells[random.between(0, 3)],
                   .rows = random.between(0, 4),
                   .hidden = random.between(1, 40)};
  CAPTURE(static_cast<int>(s.cell));
  CAPTURE(s.hidden);
  const int gates = recurrent_shape{.cell = s.cell}.gates();
  s.x_stride = gates * s.hidden + random.between(0, 5);
  s.to_stride = s.hidden + random.between(0, 3);
  const auto rows = static_cast<std::size_t>(s.rows);
  const auto hidden = static_cast<std::size_t>(s.hidden);
  const samples::fenced x(products(rows * static_cast<std::size_t>(s.x_stride), seed));
  const samples::fenced past(products(rows * hidden * static_cast<std::size_t>(gates), seed + 1));
  std::vector<float> h(products(rows * hidden, seed + 2)), c(products(rows * hidden, seed + 3));
  const samples::guarded<float> our_h(h), our_c(c);
  std::vector<float> to(rows * static_cast<std::size_t>(s.to_stride));
  const samples::guarded<float> our_to(to);
  const bool writes = random.between(0, 3) > 0;
  reference::recurrent_gates(s, x.data(), past.data(), h.data(), c.data(),
                             writes ? to.data() : nullptr);
  simd::recurrent_gates<isa::native>(s, x.data(), past.data(), our_h.data(), our_c.data(),
                                     writes ? our_to.data() : nullptr);
  CHECK(our_h.holds(h));
  CHECK(our_c.holds(c));
  CHECK(our_to.holds(to));
}

}  // namespace

TEST_CASE("the functions of gates are near those of the C library") {
  for (float x = -100.0F; x <= 100.0F; x += 0.0137F) {
    CHECK(std::fabs(gate_sigmoid(x) - 1.0 / (1.0 + std::exp(-static_cast<double>(x)))) < 2e-7);
    CHECK(std::fabs(gate_tanh(x) - std::tanh(static_cast<double>(x))) < 2e-7);
  }
  CHECK(gate_sigmoid(0.0F) == 0.5F);
  CHECK(gate_tanh(0.0F) == 0.0F);
  CHECK(gate_tanh(-100.0F) == -1.0F);
  CHECK(std::isnan(gate_sigmoid(std::nanf(""))));
  CHECK(std::isnan(gate_tanh(std::nanf(""))));
}

TEST_CASE("a step of each cell is computed as PyTorch says") {
  const float x[] = {0.5F, -1, 2, 0.25F}, past[] = {0.25F, 0.5F, -1, 0};
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  recurrent_step s{.cell = recurrent_cell::lstm, .rows = 1, .hidden = 1};
  float h = 0.5F, c = -0.75F, to = 0;
  reference::recurrent_gates(s, x, past, &h, &c, &to);
  const double cell = sigmoid(-0.5) * -0.75 + sigmoid(0.75) * std::tanh(1.0);
  CHECK(c == doctest::Approx(cell));
  CHECK(h == doctest::Approx(sigmoid(0.25) * std::tanh(cell)));
  CHECK(to == h);
  h = 0.5F;
  s.cell = recurrent_cell::gru;
  reference::recurrent_gates(s, x, past, &h, nullptr, nullptr);
  const double fresh = std::tanh(2 + sigmoid(0.75) * -1);
  CHECK(h == doctest::Approx(fresh + sigmoid(-0.5) * (0.5 - fresh)));
  s.cell = recurrent_cell::rnn_relu;
  reference::recurrent_gates(s, x, past, &h, nullptr, nullptr);
  CHECK(h == 0.75F);
  s.cell = recurrent_cell::rnn_tanh;
  reference::recurrent_gates(s, x, past, &h, nullptr, nullptr);
  CHECK(h == doctest::Approx(std::tanh(0.75)));
}

TEST_CASE("simd recurrent_gates gives the bits of the reference") {
  samples::for_each_seed(samples::seeds(300), check);
}

TEST_CASE("the observed form of an LSTM computes the same, and gives each value in its cells") {
  samples::for_each_seed(samples::seeds(20), [](samples::generator& random, unsigned seed) {
    recurrent_step s{
        .cell = recurrent_cell::lstm, .rows = random.between(1, 3), .hidden = random.between(1, 9)};
    s.x_stride = 4 * s.hidden + random.between(0, 5);
    s.to_stride = s.hidden + random.between(0, 3);
    const auto rows = static_cast<std::size_t>(s.rows);
    const auto hidden = static_cast<std::size_t>(s.hidden);
    const std::size_t all = rows * hidden;
    const auto x = products(rows * static_cast<std::size_t>(s.x_stride), seed);
    const auto past = products(4 * all, seed + 1);
    std::vector<float> h(products(all, seed + 2)), c(products(all, seed + 3));
    std::vector<float> our_h(h), our_c(c), last_c(c);
    std::vector<float> to(rows * static_cast<std::size_t>(s.to_stride)), our_to(to);
    const samples::guarded<float> seen(16 * all);
    const bool writes = random.between(0, 1) == 1;
    reference::recurrent_gates(s, x.data(), past.data(), h.data(), c.data(),
                               writes ? to.data() : nullptr);
    reference::observed_lstm_gates(s, x.data(), past.data(), our_h.data(), our_c.data(),
                                   writes ? our_to.data() : nullptr, seen.data());
    CHECK((our_h == h && our_c == c && our_to == to));
    CHECK(seen.margin_intact());
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < hidden; ++i) {
        for (std::size_t k = 0; k < 4; ++k) {
          const float* const gate = seen.data() + (4 * row + k) * hidden + i;
          CHECK(gate[0] == x[row * static_cast<std::size_t>(s.x_stride) + k * hidden + i]);
          CHECK(gate[4 * all] == past[(4 * row + k) * hidden + i]);
          CHECK(gate[8 * all] == gate[0] + gate[4 * all]);
        }
        const float* const gates = seen.data() + 8 * all + 4 * row * hidden + i;
        const float* const rest = seen.data() + 12 * all + row * hidden + i;
        CHECK(rest[0] == gate_sigmoid(gates[hidden]) * last_c[row * hidden + i]);
        CHECK(rest[all] == gate_sigmoid(gates[0]) * gate_tanh(gates[2 * hidden]));
        CHECK(rest[2 * all] == c[row * hidden + i]);
        CHECK(rest[3 * all] == h[row * hidden + i]);
      }
  });
}
