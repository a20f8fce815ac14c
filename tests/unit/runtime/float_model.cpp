// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/runtime/float_model.hpp"

#include <doctest/doctest.h>

#include "ctq/runtime/interpreter.hpp"
#include "small_net.hpp"

TEST_CASE("fusing keeps the float output within rounding") {
  std::mt19937 random{9};
  const auto weights = small::checked_weights<small::net>(4);
  ctq::float_model<small::net, ctq::x86> fused{weights};
  auto as_written =
      ctq::interpreter<ctq::reference_kernels>::make(small::net.view(), weights.get());
  REQUIRE(as_written);
  ctq::tensor<float, 1, 3, 9, 11> x;
  ctq::tensor<float, 1, 7> y;
  ctq::tensor<float, 1, 7> expected;
  for (int i = 0; i < 20; ++i) {
    small::fill(x, random);
    fused(x, y);
    as_written->run(x.data(), expected.data());
    for (std::size_t k = 0; k < y.size; ++k)
      CHECK(y[k] == doctest::Approx(expected[k]).epsilon(1e-4));
  }
}
