// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise_loop.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// out[i] = ~a[i] & b[i]: an operation for which computing an element twice in place gives another
/// result.
template <class Isa>
void join(int count, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* out) {
  const auto one = [=](int i) { out[i] = static_cast<std::uint8_t>(~a[i] & b[i]); };
  if constexpr (!vectorized<Isa>) {
    for (int i = 0; i < count; ++i) one(i);
  } else {
    using bytes = batch<Isa, std::uint8_t>;
    simd::for_elements<Isa>(
        count, out,
        [=](int i) { return ~bytes::load_unaligned(a + i) & bytes::load_unaligned(b + i); }, one, a,
        b);
  }
}

std::vector<std::uint8_t> joined(const std::uint8_t* a, const std::uint8_t* b, int count) {
  std::vector<std::uint8_t> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<std::uint8_t>(~a[i] & b[i]));
  return out;
}

}  // namespace

TEST_CASE("4K aliasing is detected from the page offsets of load and store") {
  alignas(4096) static std::uint8_t memory[3 * 4096];
  const std::uint8_t* const in = memory + 2048;
  CHECK(simd::aliasing_4k(in, in) == 0);
  CHECK(simd::aliasing_4k(in + 4096, in) == 0);
  CHECK(simd::aliasing_4k(in + 4096 + 48, in) == 1);
  CHECK(simd::aliasing_4k(in - 48, in) == -1);
  CHECK(simd::aliasing_4k(in + 2048, in) == 0);
  CHECK(simd::aliasing_4k(in + 48, reinterpret_cast<const float*>(in)) == 0);
}

TEST_CASE("forward and backward loops visit the same indices") {
  for (int last = 0; last < 12; ++last) {
    std::vector<int> forwards, backwards;
    simd::for_strided<3>(1, last, false, [&](int i) { forwards.push_back(i); });
    simd::for_strided<3>(1, last, true, [&](int i) { backwards.push_back(i); });
    CHECK(std::vector<int>(backwards.rbegin(), backwards.rend()) == forwards);
    CHECK(forwards.size() == static_cast<std::size_t>((std::max(last - 1, 0) + 2) / 3));
  }
}

TEST_CASE(
    "results do not depend on the relative addresses of operands, and nothing else is written") {
  constexpr int count = 1000;
  constexpr std::uint8_t untouched = 0xA5;
  const auto all = samples::integers<std::uint8_t>(20000, 1);
  for (int ahead = -640; ahead <= 640; ahead += 16) {
    CAPTURE(ahead);
    std::vector<std::uint8_t> memory(all);
    std::uint8_t* const a = memory.data() + 1000;
    std::uint8_t* const b = a + 4096 + 7;
    std::uint8_t* const out = a + 2 * 4096 + ahead;
    const auto expected = joined(a, b, count);
    out[-1] = out[count] = untouched;
    join<isa::native>(count, a, b, out);
    CHECK(std::equal(expected.begin(), expected.end(), out));
    CHECK(out[-1] == untouched);
    CHECK(out[count] == untouched);
  }
}

TEST_CASE("an operand may be the output, in both loop directions") {
  for (const int count : {0, 1, 63, 64, 65, 127, 300}) {
    for (const int ahead : {-100, -40, 0, 40, 100}) {
      std::vector<std::uint8_t> memory = samples::integers<std::uint8_t>(12000, 2);
      std::uint8_t* const a = memory.data() + 1000;
      std::uint8_t* const b = a + 4096 + ahead;
      auto expected = joined(a, b, count);
      join<isa::native>(count, a, b, a);
      CHECK(std::equal(expected.begin(), expected.end(), a));
      expected = joined(a, b, count);
      join<isa::native>(count, a, b, b);
      CHECK(std::equal(expected.begin(), expected.end(), b));
    }
  }
}

TEST_CASE("non-temporal stores give the same results in both directions, at any alignment") {
  constexpr int count = (11 << 20) + 5;
  const auto a = samples::integers<std::uint8_t>(count, 3);
  const auto b = samples::integers<std::uint8_t>(count, 4);
  const auto expected = joined(a.data(), b.data(), count);
  std::vector<std::uint8_t> memory(count + 9000, 0xA5);
  const auto near = static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(a.data()) -
                                              reinterpret_cast<std::uintptr_t>(memory.data())) %
                                             4096);
  for (const std::size_t start : {near + 48, near + 4096 - 48, near + 1, std::size_t{1}}) {
    std::fill(memory.begin(), memory.end(), std::uint8_t{0xA5});
    join<isa::native>(count, a.data(), b.data(), memory.data() + start);
    CHECK(std::equal(expected.begin(), expected.end(), memory.data() + start));
    CHECK(memory[start - 1] == 0xA5);
    CHECK(memory[start + count] == 0xA5);
  }
}
