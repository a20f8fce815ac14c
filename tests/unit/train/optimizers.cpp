// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/optimizers.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace {

/// p after three steps from (1, -2, 0.5), of the loss Σ p³.
template <class Optimizer>
std::vector<float> stepped(Optimizer optimizer) {
  std::vector<float> p{1.0F, -2.0F, 0.5F}, gradient(3);
  for (int i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 3; ++k) gradient[k] = 3.0F * p[k] * p[k];
    optimizer.step({{"p", p, gradient}});
  }
  return p;
}

void compare(const std::vector<float>& p, const std::vector<double>& expected) {
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(static_cast<double>(p[i]) == doctest::Approx(expected[i]).epsilon(2e-6));
}

TEST_CASE("steps are those of PyTorch 1.13") {
  using ctq::adam, ctq::sgd;
  compare(stepped(sgd({.learning_rate = 0.1F})), {0.461257279, -18.0733967, 0.329561919});
  compare(stepped(sgd({.learning_rate = 0.1F, .momentum = 0.9F, .weight_decay = 0.01F})),
          {-0.119479544, -27.2304726, 0.164199188});
  compare(stepped(sgd(
              {.learning_rate = 0.1F, .momentum = 0.9F, .weight_decay = 0.01F, .nesterov = true})),
          {-0.189005956, -160.754456, 0.107455626});
  compare(stepped(sgd({.learning_rate = 0.1F, .momentum = 0.5F, .dampening = 0.25F})),
          {0.266114473, -15.9392338, 0.280719012});
  compare(stepped(adam({.learning_rate = 0.1F, .weight_decay = 0.01F})),
          {0.704142869, -2.30049372, 0.213145316});
}

TEST_CASE("the learning rate can change between steps") {
  ctq::sgd optimizer({.learning_rate = 0.5F});
  optimizer.set_learning_rate(0.25F);
  std::vector<float> p{1.0F};
  const std::vector<float> gradient{2.0F};
  optimizer.step({{"p", p, gradient}});
  CHECK(p[0] == 0.5F);
  ctq::adam other;
  other.set_learning_rate(0.25F);
  CHECK(other.options().learning_rate == 0.25F);
}

}  // namespace
