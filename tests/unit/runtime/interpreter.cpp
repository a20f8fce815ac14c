// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/interpreter.hpp"

#include <doctest/doctest.h>

#include "small_net.hpp"

TEST_CASE("a linear layer by hand") {
  static constexpr auto one = ctq::sequential({1, 2}, small::nn::linear({.out_features = 2}));
  const ctq::weights w{{{"0.weight", {2, 2}, {1, 2, 3, 4}}, {"0.bias", {2}, {0.5F, -0.5F}}}};
  auto run = ctq::interpreter<ctq::reference_kernels>::make(one.view(), w);
  REQUIRE(run);
  const ctq::tensor<float, 1, 2> x{{10, 100}};
  ctq::tensor<float, 1, 2> y;
  run->run(x.data(), y.data());
  CHECK(y.values == std::array<float, 2>{210.5F, 429.5F});
}

TEST_CASE("the hook sees every step and what it wrote") {
  auto run = ctq::interpreter<ctq::reference_kernels>::make(small::mlp.view(),
                                                            small::random_weights<small::mlp>(1));
  REQUIRE(run);
  ctq::tensor<float, 3, 21> x;
  ctq::tensor<float, 3, 5> y;
  std::vector<ctq::kernel_id> seen;
  const void* last = nullptr;
  run->run(x.data(), y.data(), [&](const ctq::step& s, const void* out) {
    seen.push_back(s.signature.kernel);
    last = out;
  });
  CHECK(seen == std::vector{ctq::kernel::linear, ctq::kernel::relu, ctq::kernel::linear});
  CHECK(last == y.data());
}

TEST_CASE("weights that are missing are an error with their name") {
  const auto run = ctq::interpreter<ctq::reference_kernels>::make(small::mlp.view(), {});
  REQUIRE(!run);
  CHECK(run.error().message() == "tensor 0.weight: is missing");
}

TEST_CASE("a graph without a kernel is an error that names the node") {
  ctq::dynamic_graph<ctq::stage::traced> g;
  const int x = g.add({.name = "x", .op = ctq::nn::placeholder.id(), .shape = {1, 2}}, nullptr, 0);
  g.add({.name = "odd", .op = ctq::fn::embedding.id(), .shape = {1, 2}}, x);
  const auto run = ctq::interpreter<ctq::reference_kernels>::make(g.view(), {});
  REQUIRE(!run);
  CHECK(run.error().cause.find("node odd") != std::string::npos);
}
