// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/quantize.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

TEST_CASE("quantize rounds ties to even and adds the zero point after rounding") {
  const std::vector<float> in = {0.0F, 0.25F, 0.75F, 1.25F, -0.25F, -0.75F, 0.74F};
  std::vector<std::uint8_t> out(in.size());
  reference::quantize({static_cast<int>(in.size())}, in.data(), {0.5F, 11, 0, 255}, out.data());
  CHECK(out == std::vector<std::uint8_t>{11, 11, 13, 13, 11, 9, 12});
}

TEST_CASE("quantize keeps what is out of range at the ends and NaN at the zero point") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> in = {inf, -inf, std::nanf(""), 1e30F, -1e30F, 12.5F, -20.0F};
  std::vector<std::int8_t> out(in.size());
  reference::quantize({static_cast<int>(in.size())}, in.data(), {0.1F, 5, -127, 100}, out.data());
  CHECK(out == std::vector<std::int8_t>{100, -127, 5, 100, -127, 100, -127});
}

TEST_CASE_TEMPLATE("simd quantize gives the bytes of the reference", Q, std::uint8_t, std::int8_t) {
  for (const qparams& p : samples::qparams<Q>()) {
    for (const int n : samples::lengths()) {
      CAPTURE(p.scale);
      CAPTURE(n);
      const auto in =
          samples::floats(static_cast<std::size_t>(n), 1U + static_cast<unsigned>(n), p.scale);
      std::vector<Q> expected(in.size());
      reference::quantize({n}, in.data(), p, expected.data());
      samples::guarded<Q> out(in.size());
      simd::quantize<isa::native>({n}, in.data(), p, out.data());
      CHECK(out.holds(expected));
    }
  }
}
