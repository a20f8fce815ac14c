// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/relu.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "kernels/random_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("relu keeps NaN and the sign of zero") {
  CHECK(reference::relu(-1.0F) == 0.0F);
  CHECK(reference::relu(2.0F) == 2.0F);
  CHECK(std::isnan(reference::relu(std::nanf(""))));
  CHECK(std::signbit(reference::relu(-0.0F)));
}

TEST_CASE("relu on integers clamps at the zero point") {
  const std::vector<std::uint8_t> in = {0, 9, 10, 11, 255};
  std::vector<std::uint8_t> out(in.size());
  reference::relu({5}, in.data(), {0.1F, 10, 0, 255}, {0.1F, 10, 0, 255}, out.data());
  CHECK(out == std::vector<std::uint8_t>{10, 10, 10, 11, 255});
  reference::relu({5}, in.data(), {0.5F, 10, 0, 255}, {1.0F, 0, 0, 100}, out.data());
  CHECK(out == std::vector<std::uint8_t>{0, 0, 0, 0, 100});
}

TEST_CASE("simd relu on floats gives the bits of the reference") {
  for (const int n : samples::lengths()) {
    CAPTURE(n);
    const auto in = samples::floats(static_cast<std::size_t>(n), 5U + static_cast<unsigned>(n));
    std::vector<float> expected(in.size());
    reference::relu({n}, in.data(), expected.data());
    samples::guarded<float> out(in.size());
    simd::relu<isa::native>({n}, in.data(), out.data());
    CHECK(out.holds(expected));
    samples::guarded<float> same(in);
    simd::relu<isa::native>({n}, same.data(), same.data());
    CHECK(same.holds(expected));
  }
}

TEST_CASE_TEMPLATE("simd relu on integers gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  for (const qparams& from : samples::qparams<Q>()) {
    for (const qparams& to : samples::qparams<Q>()) {
      for (const int n : samples::lengths()) {
        CAPTURE(from.scale);
        CAPTURE(to.scale);
        CAPTURE(n);
        const auto in =
            samples::integers<Q>(static_cast<std::size_t>(n), 9U + static_cast<unsigned>(n));
        std::vector<Q> expected(in.size());
        reference::relu({n}, in.data(), from, to, expected.data());
        samples::guarded<Q> out(in.size());
        simd::relu<isa::native>({n}, in.data(), from, to, out.data());
        CHECK(out.holds(expected));
        samples::guarded<Q> same(in);
        simd::relu<isa::native>({n}, same.data(), from, to, same.data());
        CHECK(same.holds(expected));
      }
    }
  }
}

TEST_CASE_TEMPLATE("simd relu on integers equals the reference on random operands", Q, std::uint8_t,
                   std::int8_t) {
  samples::check_random_steps<Q>([](auto... operands) { reference::relu(operands...); },
                                 [](auto... operands) { simd::relu<isa::native>(operands...); });
}
