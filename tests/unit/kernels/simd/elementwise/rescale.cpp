// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/rescale.hpp"

#include <doctest/doctest.h>

#include "kernels/random_cases.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

template <class Q, class R>
void compare(const qparams& from, const qparams& to) {
  for (const int n : samples::lengths()) {
    CAPTURE(from.scale);
    CAPTURE(to.scale);
    CAPTURE(n);
    const auto in =
        samples::integers<Q>(static_cast<std::size_t>(n), 3U + static_cast<unsigned>(n));
    std::vector<R> expected(in.size());
    reference::requantize({n}, in.data(), from, to, expected.data());
    samples::guarded<R> out(in.size());
    simd::requantize<isa::native>({n}, in.data(), from, to, out.data());
    CHECK(out.holds(expected));
    if constexpr (std::is_same_v<Q, R>) {
      samples::guarded<Q> same(in);
      simd::requantize<isa::native>({n}, same.data(), from, to, same.data());
      CHECK(same.holds(expected));
    }
  }
}

}  // namespace

TEST_CASE("requantize dequantizes and quantizes") {
  const std::vector<std::uint8_t> in = {0, 10, 11, 12, 13, 255};
  std::vector<std::int8_t> out(in.size());
  reference::requantize({6}, in.data(), {0.5F, 10, 0, 255}, {1.0F, -5, -128, 127}, out.data());
  CHECK(out == std::vector<std::int8_t>{-10, -5, -5, -4, -3, 117});
}

TEST_CASE_TEMPLATE("simd requantize gives the bytes of the reference", Q, std::uint8_t,
                   std::int8_t) {
  for (const qparams& from : samples::qparams<Q>()) {
    for (const qparams& to : samples::qparams<Q>()) compare<Q, Q>(from, to);
    for (const qparams& to : samples::qparams<std::uint8_t>()) compare<Q, std::uint8_t>(from, to);
    for (const qparams& to : samples::qparams<std::int8_t>()) compare<Q, std::int8_t>(from, to);
  }
}

TEST_CASE("requantize with equal qparams only clamps, for any scale") {
  std::vector<std::uint8_t> in(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i);
  for (unsigned bits = 0x00800000U; bits <= 0x7A800000U; bits += 0x000FFFF1U) {
    float scale;
    std::memcpy(&scale, &bits, sizeof scale);
    const qparams from{scale, 101, 0, 255};
    const qparams to{scale, 101, 3, 250};
    REQUIRE(same_scale_and_zero_point(from, to));
    std::vector<std::uint8_t> expected(in.size());
    reference::requantize({256}, in.data(), from, to, expected.data());
    samples::guarded<std::uint8_t> out(in.size());
    simd::requantize<isa::native>({256}, in.data(), from, to, out.data());
    REQUIRE(out.holds(expected));
  }
}

TEST_CASE_TEMPLATE("simd requantize from integers equals the reference on random operands", Q,
                   std::uint8_t, std::int8_t) {
  samples::check_random_steps<Q>(
      [](auto... operands) { reference::requantize(operands...); },
      [](auto... operands) { simd::requantize<isa::native>(operands...); });
}
