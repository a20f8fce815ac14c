// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/gradients/batch_norm.hpp"

#include <doctest/doctest.h>

#include "../differences.hpp"

using namespace ctq;
using differences::vector;

namespace {

void compare(const shape& s, bool of_batch) {
  const auto channels = static_cast<std::size_t>(s[1]);
  vector x = differences::random(numel(s), 1);
  vector gamma = differences::random(channels, 2), beta = differences::random(channels, 3);
  const vector mean = differences::random(channels, 4), variance(channels, 0.7);
  const vector grad_out = differences::random(numel(s), 5);
  constexpr double eps = 1e-3;
  const auto statistics = [&] {
    return of_batch ? training::statistics_of_batch(s, x.data(), eps)
                    : training::running_statistics(channels, mean.data(), variance.data(), eps);
  };
  vector out(x.size());
  const auto run = [&] {
    training::normalize(s, statistics(), gamma.data(), beta.data(), x.data(), out.data());
    return differences::loss(out, grad_out);
  };
  run();
  vector grad = grad_out, grad_gamma(channels), grad_beta(channels);
  training::normalize_gradient(s, statistics(), gamma.data(), x.data(), grad.data(),
                               grad_gamma.data(), grad_beta.data());
  differences::check(x, grad, run);
  differences::check(gamma, grad_gamma, run);
  differences::check(beta, grad_beta, run);
}

TEST_CASE("gradients of batch norm equal central differences") {
  compare({3, 2, 4, 5}, true);
  compare({40, 3}, true);
  compare({3, 2, 4, 5}, false);
}

TEST_CASE("the batch is normalized") {
  const shape s{2, 1, 1, 2};
  const vector x{1, 2, 3, 6}, one{2}, shift{10};
  const auto t = training::statistics_of_batch(s, x.data(), 0.0);
  CHECK(t.mean[0] == 3.0);
  CHECK(t.variance[0] == 3.5);
  vector out(4);
  training::normalize(s, t, one.data(), shift.data(), x.data(), out.data());
  CHECK(out[3] == doctest::Approx(10 + 2 * 3 / std::sqrt(3.5)));
}

TEST_CASE("running statistics move by the momentum; the variance is that of a sample") {
  const shape s{2, 1, 1, 2};
  const vector x{1, 2, 3, 6};
  vector mean{1}, variance{2};
  training::move_running_statistics(training::statistics_of_batch(s, x.data(), 0.0), 0.25,
                                    mean.data(), variance.data());
  CHECK(mean[0] == 0.75 * 1 + 0.25 * 3);
  CHECK(variance[0] == doctest::Approx(0.75 * 2 + 0.25 * 3.5 * 4 / 3));
}

}  // namespace
