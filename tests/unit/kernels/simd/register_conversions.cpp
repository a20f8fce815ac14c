// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/register_conversions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/reference/requantize.hpp"
#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;
using isa_t = isa::native;

namespace {

template <class Isa, class T>
std::size_t lanes_of() {
  return batch<Isa, T>::size;
}

template <class T, class B>
std::vector<T> elements(const B& x) {
  std::vector<T> out(B::size);
  x.store_unaligned(out.data());
  return out;
}

/// All 256 bytes, so often that every register is whole.
template <class Q>
std::vector<Q> all_bytes() {
  std::vector<Q> all(512);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Q>(i);
  return all;
}

/// Four registers of floats as parts of one register of bytes.
template <class Isa, class Q, class Narrow>
std::vector<Q> through(const std::vector<float>& x, std::size_t at, const Narrow& narrow) {
  return elements<Q>(narrow([&](int part) {
    return batch<Isa, float>::load_unaligned(x.data() + at + static_cast<std::size_t>(part));
  }));
}

template <class Isa, class Q>
void check_widen() {
  const std::vector<Q> bytes = all_bytes<Q>();
  const std::size_t n = lanes_of<Isa, float>();
  for (std::size_t at = 0; at + n <= 256; at += n) {
    // What is read is n bytes: more would be past the end.
    const samples::fenced<Q> in(std::vector<Q>(bytes.begin() + static_cast<int>(at),
                                               bytes.begin() + static_cast<int>(at + n)));
    const auto wide = simd::widen<Isa>(in.data());
    const auto back = elements<std::int32_t>(wide);
    const std::vector<std::int32_t> wanted(in.data(), in.data() + n);
    CHECK(back == wanted);
    CHECK(elements<float>(simd::to_float<Isa>(wide)) ==
          std::vector<float>(wanted.begin(), wanted.end()));
    const samples::guarded<Q> out(n);
    simd::narrow_store<Isa>(wide, out.data());
    CHECK(out.holds(std::vector<Q>(in.data(), in.data() + n)));
  }
  const std::size_t all = lanes_of<Isa, std::uint8_t>();
  for (std::size_t at = 0; at + all <= 512; at += all) {
    const Q* const from = bytes.data() + at;
    const auto narrow =
        simd::narrow<Isa, Q>([&](int part) { return simd::widen<Isa>(from + part); });
    CHECK(elements<Q>(narrow) == std::vector<Q>(from, from + all));
  }
}

template <class Isa, class Q>
void check_dequantize() {
  const std::vector<Q> bytes = all_bytes<Q>();
  for (const qparams& p : samples::qparams<Q>()) {
    std::vector<float> wanted(bytes.size());
    reference::dequantize(elementwise_shape{static_cast<int>(bytes.size())}, bytes.data(), p,
                          wanted.data());
    const simd::dequantizer_lanes<Isa> dequantize(p);
    std::vector<float> got;
    for (std::size_t at = 0; at < 512; at += lanes_of<Isa, float>()) {
      const auto part = elements<float>(dequantize(bytes.data() + at));
      got.insert(got.end(), part.begin(), part.end());
    }
    CHECK(got == wanted);

    // Parts have the same elements in an order of their own, each once.
    const simd::byte_dequantizer<Isa> parts(p, std::type_identity<Q>{});
    const std::size_t all = lanes_of<Isa, std::uint8_t>();
    for (std::size_t at = 0; at < 512; at += all) {
      const auto x = parts.load(bytes.data() + at);
      std::vector<float> some;
      const auto add = [&](const auto& part) {
        const auto e = elements<float>(part);
        some.insert(some.end(), e.begin(), e.end());
      };
      add(parts.template part<0>(x));
      add(parts.template part<1>(x));
      add(parts.template part<2>(x));
      add(parts.template part<3>(x));
      std::vector<float> of(wanted.begin() + static_cast<int>(at),
                            wanted.begin() + static_cast<int>(at + all));
      std::sort(some.begin(), some.end());
      std::sort(of.begin(), of.end());
      CHECK(some == of);
    }
  }
}

template <class Isa, class Q>
void check_parts_come_back() {
  constexpr int offset = std::is_signed_v<Q> ? -128 : 0;
  const std::vector<Q> bytes = all_bytes<Q>();
  const simd::byte_dequantizer<Isa> parts({1.0F, 0, offset, offset + 255}, std::type_identity<Q>{});
  const simd::float_narrower<Isa> narrower({0, offset, offset + 255});
  for (std::size_t at = 0; at < 512; at += lanes_of<Isa, std::uint8_t>()) {
    const auto x = parts.load(bytes.data() + at);
    const auto back = narrower.template bytes<Q>([&](auto k) { return parts.template part<k>(x); });
    CHECK(elements<Q>(back) == std::vector<Q>(bytes.begin() + static_cast<int>(at),
                                              bytes.begin() + static_cast<int>(at) +
                                                  static_cast<int>(lanes_of<Isa, std::uint8_t>())));
  }
}

/// Numbers of steps near ties, near the ends and far outside, but in the range of int32.
[[maybe_unused]] std::vector<float> steps(std::size_t n) {
  const float awkward[] = {
      0.5F,     1.5F,           -0.5F,           -1.5F,       127.5F,   128.5F,   254.5F,
      255.5F,   -128.5F,        0x1p23F,         -0x1p23F,    32767.5F, 32768.5F, -32768.5F,
      65535.5F, 0x1.fffffep30F, -0x1.fffffep30F, 0.49999997F, -0.0F,    2.5F};
  std::vector<float> out(n);
  samples::generator random(3);
  for (float& x : out)
    x = random() % 2 == 0 ? awkward[random() % std::size(awkward)]
                          : static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-22F;
  return out;
}

template <class Isa, class Q>
void check_narrower() {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const std::size_t all = lanes_of<Isa, std::uint8_t>();
  const std::vector<float> x = steps(40 * all);
  for (const output_range& to : {output_range{lo, lo, lo + 255},
                                 {lo + 255, lo, lo + 255},
                                 {lo + 100, lo + 100, lo + 255},
                                 {lo + 7, lo + 3, lo + 9},
                                 {lo + 128, lo + 128, lo + 128}}) {
    const simd::float_narrower<Isa> narrower(to);
    for (std::size_t at = 0; at < x.size(); at += all) {
      std::vector<Q> wanted;
      for (std::size_t i = at; i < at + all; ++i)
        wanted.push_back(
            static_cast<Q>(std::clamp(static_cast<double>(std::nearbyintf(x[i])) + to.zero_point,
                                      static_cast<double>(to.lo), static_cast<double>(to.hi))));
      const auto in_order = through<Isa, Q>(
          x, at, [&](auto part) { return narrower.template bytes_in_order<Q>(part); });
      CHECK(in_order == wanted);
      // Steps that may come from what no integer holds are left to the other function.
      bool left = false;
      const auto checked = through<Isa, Q>(x, at, [&](auto part) {
        return narrower.template bytes_in_order<Q>(part, [&] {
          left = true;
          return batch<Isa, Q>::load_unaligned(wanted.data());
        });
      });
      const bool small = std::all_of(x.begin() + static_cast<std::ptrdiff_t>(at),
                                     x.begin() + static_cast<std::ptrdiff_t>(at + all),
                                     [](float step) { return std::abs(step) < 32767; });
      if (small) CHECK_FALSE(left);
      CHECK(checked == wanted);
    }
  }
}

/// The register with a step that no int32 holds is left to the other function, a whole one.
template <class Isa, class Q>
void check_otherwise() {
  constexpr int lo = std::numeric_limits<Q>::lowest();
  const simd::float_narrower<Isa> narrower({lo, lo, lo + 255});
  constexpr Q mark{77};
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), -0x1p31F, -0x1p40F,
                            -std::numeric_limits<float>::infinity()}) {
    for (std::size_t i = 0; i < lanes_of<Isa, std::uint8_t>(); ++i) {
      std::vector<float> x(lanes_of<Isa, std::uint8_t>(), 5.0F);
      x[i] = wrong;
      const auto out = through<Isa, Q>(x, 0, [&](auto part) {
        return narrower.template bytes_in_order<Q>(part, [] { return batch<Isa, Q>(mark); });
      });
      // On ARM they become 0 and the lowest integer, as they should: nothing is left to anybody.
      CHECK((out == std::vector<Q>(out.size(), mark) || out[i] == static_cast<Q>(lo)));
    }
  }
}

template <class Isa, class Q>
void check_quantize() {
  const std::size_t n = lanes_of<Isa, float>();
  for (const qparams& p : samples::qparams<Q>()) {
    const std::vector<float> x = samples::floats(50 * n, 9, p.scale);
    const quantizer q = quantizer_of(p);
    const simd::quantizer_lanes<Isa> lanes(q);
    const std::vector<float> scale(n, p.scale);
    const std::vector<std::int32_t> zero_point(n, p.zero_point);
    const simd::quantizer_lanes<Isa> each(scale.data(), zero_point.data(),
                                          static_cast<std::int32_t>(p.quant_min),
                                          static_cast<std::int32_t>(p.quant_max));
    for (std::size_t at = 0; at < x.size(); at += n) {
      std::vector<std::int32_t> wanted;
      bool numbers = true;
      for (std::size_t i = at; i < at + n; ++i) {
        wanted.push_back(reference::quantize<Q>(x[i], q));
        numbers = numbers && !std::isnan(x[i] * q.inverse);
      }
      const auto in = batch<Isa, float>::load_unaligned(x.data() + at);
      CHECK(elements<std::int32_t>(lanes.nan_safe(in)) == wanted);
      CHECK(elements<std::int32_t>(each.nan_safe(in)) == wanted);
      if (numbers) CHECK(elements<std::int32_t>(lanes(in)) == wanted);
    }
  }
}

template <class Check>
void if_vectorized(Check check) {
  if constexpr (vectorized<isa_t>) check(std::type_identity<isa_t>{});
}

}  // namespace

TEST_CASE("bytes are widened, made floats and narrowed again, each of 256") {
  if_vectorized([]<class Isa>(std::type_identity<Isa>) {
    check_widen<Isa, std::uint8_t>();
    check_widen<Isa, std::int8_t>();
  });
}

TEST_CASE("bytes stand for the same reals as the reference says, also in parts of registers") {
  if_vectorized([]<class Isa>(std::type_identity<Isa>) {
    check_dequantize<Isa, std::uint8_t>();
    check_dequantize<Isa, std::int8_t>();
  });
}

TEST_CASE("parts of a register of bytes are put back in their order") {
  if_vectorized([]<class Isa>(std::type_identity<Isa>) {
    check_parts_come_back<Isa, std::uint8_t>();
    check_parts_come_back<Isa, std::int8_t>();
  });
}

TEST_CASE("steps are rounded to even and clamped to any range, however far outside they are") {
  if_vectorized([]<class Isa>(std::type_identity<Isa>) {
    check_narrower<Isa, std::uint8_t>();
    check_narrower<Isa, std::int8_t>();
  });
}

TEST_CASE("a step that no integer holds is noticed in any lane") {
  if_vectorized([]<class Isa>(std::type_identity<Isa>) {
    check_otherwise<Isa, std::uint8_t>();
    check_otherwise<Isa, std::int8_t>();
  });
}

TEST_CASE(
    "a register of floats is quantized as the reference does it, NaN and infinities included") {
  if_vectorized([]<class Isa>(std::type_identity<Isa>) {
    check_quantize<Isa, std::uint8_t>();
    check_quantize<Isa, std::int8_t>();
  });
}
