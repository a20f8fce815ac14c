// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/train/trained_norm.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;

namespace {

const weights two_channels{{{"n.weight", {2}, {2.0F, 1.0F}},
                            {"n.bias", {2}, {0.0F, 0.5F}},
                            {"n.running_mean", {2}, {1.0F, 0.0F}},
                            {"n.running_var", {2}, {4.0F, 1.0F}}}};

TEST_CASE("with running statistics a batch norm scales and shifts, and moves nothing") {
  training::trained_norm norm(two_channels, "n", 0.0);
  const std::vector<float> x{1.0F, 0.0F, 5.0F, 3.0F};
  std::vector<float> out(4);
  REQUIRE(norm.forward({2, 2}, x.data(), false, 0.1, out.data()));
  CHECK(out == std::vector<float>{0.0F, 0.5F, 4.0F, 3.5F});
  CHECK(norm.running_mean().value == std::vector<float>{1.0F, 0.0F});
  std::vector<float> grad{1.0F, 1.0F, 1.0F, 1.0F};
  norm.backward({2, 2}, x.data(), grad.data());
  CHECK(grad == std::vector<float>{1.0F, 1.0F, 1.0F, 1.0F});
  CHECK(norm.gamma().gradient == std::vector<float>{2.0F, 3.0F});
  CHECK(norm.beta().gradient == std::vector<float>{2.0F, 2.0F});
}

TEST_CASE("with those of the batch it moves the running ones") {
  training::trained_norm norm(two_channels, "n", 0.0);
  const std::vector<float> x{1.0F, 0.0F, 5.0F, 2.0F};
  std::vector<float> out(4);
  REQUIRE(norm.forward({2, 2}, x.data(), true, 0.5, out.data()));
  CHECK(out == std::vector<float>{-2.0F, -0.5F, 2.0F, 1.5F});
  CHECK(norm.running_mean().value == std::vector<float>{2.0F, 0.5F});
  CHECK(norm.running_variance().value == std::vector<float>{6.0F, 1.5F});
}

TEST_CASE("one element per channel has no variance") {
  training::trained_norm norm(two_channels, "n", 0.0);
  const std::vector<float> x(2, 1.0F);
  std::vector<float> out(2);
  CHECK(norm.forward({1, 2}, x.data(), true, 0.1, out.data()).error().message() ==
        "batch norm n.weight: cannot be trained on one element per channel");
  CHECK(norm.forward({1, 2}, x.data(), false, 0.1, out.data()));
}

}  // namespace
