// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/fold_batch_norm.hpp"

#include <doctest/doctest.h>

#include "ctq/passes/fuse.hpp"
#include "small_net.hpp"

TEST_CASE("a batch norm goes into the weight and bias of its conv") {
  const ctq::weights w = small::random_weights<small::net>(2);
  const auto fused = ctq::fuse(small::net.view(), ctq::backend_v<ctq::x86>);
  const ctq::node& conv = fused.nodes[1];
  REQUIRE(conv.batch_norm == "bn1");
  const ctq::folded_weights f = ctq::fold(conv, w);
  const auto at = [&](const char* name, std::size_t i) { return double{w.find(name)->values[i]}; };
  for (std::size_t o = 0; o < 10; ++o) {
    const double scale = at("bn1.weight", o) / std::sqrt(at("bn1.running_var", o) + 1e-5);
    for (std::size_t i = 0; i < 27; ++i)
      CHECK(f.weight[o * 27 + i] == doctest::Approx(at("conv1.weight", o * 27 + i) * scale));
    CHECK(f.bias[o] == doctest::Approx((at("conv1.bias", o) - at("bn1.running_mean", o)) * scale +
                                       at("bn1.bias", o)));
  }
}

TEST_CASE("a module without bias gets zeros") {
  const ctq::weights w = small::random_weights<small::mlp>(3);
  const ctq::folded_weights f = ctq::fold(small::mlp.view()[3], w);
  CHECK(f.bias == std::vector<float>(5, 0.0F));
  CHECK(f.weight == w.find("2.weight")->values);
}
