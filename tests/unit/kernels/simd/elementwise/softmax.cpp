// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/elementwise/softmax.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

void check(const softmax_shape& s, unsigned seed) {
  CAPTURE(s.rows);
  CAPTURE(s.count);
  CAPTURE(s.stride);
  const auto size = static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.count);
  const samples::fenced in(samples::plain_floats(size, seed));
  std::vector<float> expected(size);
  samples::guarded<float> out(size);
  reference::softmax(s, in.data(), expected.data());
  simd::softmax<isa::native>(s, in.data(), out.data());
  CHECK(out.holds(expected));
  samples::guarded<float> both(std::vector<float>(in.data(), in.data() + size));
  simd::softmax<isa::native>(s, both.data(), both.data());
  CHECK(both.holds(expected));
}

}  // namespace

TEST_CASE("softmax divides by the sum along an axis") {
  const std::vector<float> in = {1, 2, 3, 4, 5, 6};  // [2, 3], or [2, 3] by columns
  std::vector<float> out(6);
  reference::softmax({.rows = 2, .count = 3}, in.data(), out.data());
  CHECK(out[0] == doctest::Approx(0.09003057));
  CHECK(out[2] == doctest::Approx(0.66524096));
  CHECK(out[5] == out[2]);
  reference::softmax({.rows = 3, .count = 2, .stride = 3}, in.data(), out.data());
  CHECK(out[0] == doctest::Approx(0.04742587));
  CHECK(out[3] == doctest::Approx(0.95257413));
  reference::softmax({.rows = 2, .count = 3, .logarithm = 1}, in.data(), out.data());
  CHECK(out[0] == doctest::Approx(-2.40760596));
}

TEST_CASE("a NaN makes all of its row NaN") {
  std::vector<float> in(40, 1.0F);
  in[17] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> out(40);
  for (const int logarithm : {0, 1}) {
    simd::softmax<isa::native>({.rows = 2, .count = 20, .logarithm = logarithm}, in.data(),
                               out.data());
    for (std::size_t i = 0; i < 20; ++i) CHECK(out[i] != out[i]);
    CHECK(out[20] == out[39]);
    CHECK(out[20] == out[20]);
  }
}

TEST_CASE("simd softmax gives the bits of the reference, also in place") {
  samples::for_each_seed(samples::seeds(200), [](samples::generator& random, unsigned seed) {
    const int stride = random.between(0, 2) == 0 ? random.between(1, 5) : 1;
    check({.rows = stride * random.between(1, 4),
           .count = random.between(1, 70),
           .stride = stride,
           .logarithm = random.between(0, 1)},
          seed);
  });
}
