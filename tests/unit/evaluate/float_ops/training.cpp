// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/training.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace ctq::float_ops;

namespace {

tensor waves(extents shape, double frequency) {
  tensor t = filled(std::move(shape));
  for (std::size_t i = 0; i < t.data.size(); ++i)
    t.data[i] = static_cast<float>(std::sin(frequency * static_cast<double>(i + 1)));
  return t;
}

double weighted_sum(const tensor& out, const tensor& by) {
  double sum = 0;
  for (std::size_t i = 0; i < out.data.size(); ++i)
    sum += static_cast<double>(out.data[i]) * static_cast<double>(by.data[i]);
  return sum;
}

/// The gradient is what the loss gains for each element that grows.
void check_gradient(tensor& of, const tensor& gradient, const std::function<double()>& loss) {
  REQUIRE(gradient.shape == of.shape);
  for (std::size_t i = 0; i < of.data.size(); ++i) {
    constexpr float step = 0x1p-7F;
    const float before = of.data[i];
    of.data[i] = before + step;
    const double more = loss();
    of.data[i] = before - step;
    const double less = loss();
    of.data[i] = before;
    CHECK(static_cast<double>(gradient.data[i]) ==
          doctest::Approx((more - less) / (2.0 * static_cast<double>(step))).epsilon(2e-3));
  }
}

}  // namespace

TEST_CASE("the gradients of a convolution are its slopes, whatever its geometry") {
  tensor x = waves({2, 4, 5, 6}, 0.7), weight = waves({6, 2, 3, 2}, 1.3);
  const convolution_options o{.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}, .groups = 2};
  const auto y = convolution(x, weight, nullptr, o);
  REQUIRE(y);
  const tensor by = waves(y->shape, 2.1);
  const auto g = convolution_gradient(x, weight, by, o);
  REQUIRE(g);
  const auto loss = [&] { return weighted_sum(*convolution(x, weight, nullptr, o), by); };
  check_gradient(x, g->in, loss);
  check_gradient(weight, g->weight, loss);
}

TEST_CASE("the gradients of a linear are its slopes") {
  tensor x = waves({3, 4}, 0.7), weight = waves({5, 4}, 1.3);
  const tensor by = waves({3, 5}, 2.1);
  const product_gradient g = linear_gradient(x, weight, by);
  const auto loss = [&] { return weighted_sum(*linear(x, weight, nullptr), by); };
  check_gradient(x, g.in, loss);
  check_gradient(weight, g.weight, loss);
}

TEST_CASE("the gradients of a batch norm go through the mean and variance of the batch") {
  tensor x = waves({3, 2, 2}, 0.9), gamma = waves({2}, 0.5), beta = waves({2}, 1.5);
  const tensor by = waves({3, 2, 2}, 2.3);
  const auto loss = [&] {
    const batch_statistics s = statistics_of(x);
    tensor y = x;
    for_each_channel_run(y.shape, [&](std::size_t c, std::size_t at, std::size_t n) {
      normalizing::apply(y.data.data() + at, n, s.mean[c], std::sqrt(s.variance[c] + 1e-5),
                         normalizing::affine_at(&gamma, &beta, c));
    });
    return weighted_sum(y, by);
  };
  const norm_gradient g = batch_norm_gradient(x, statistics_of(x), gamma, 1e-5, by);
  check_gradient(x, g.x, loss);
  check_gradient(gamma, g.gamma, loss);
  check_gradient(beta, g.beta, loss);
}
