// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/arch/first_lanes.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

/// `lanes` has the first `count` lanes, of which the memory that follows belongs to somebody else.
template <class Isa, class Lanes>
void check(const Lanes& lanes, int count) {
  constexpr int width = static_cast<int>(batch<Isa, float>::size);
  CAPTURE(count);
  const auto there = static_cast<std::size_t>(count);
  std::vector<float> numbers(there);
  for (std::size_t i = 0; i < there; ++i) numbers[i] = 10.0F + static_cast<float>(i);
  const samples::fenced<float> in(numbers);

  float loaded[width], kept[width];
  const auto x = lanes.load(in.data(), -1.0F);
  x.store_unaligned(loaded);
  lanes.only(x + x).store_unaligned(kept);
  for (int i = 0; i < width; ++i) {
    const float here = i < count ? numbers[static_cast<std::size_t>(i)] : -1.0F;
    CHECK(loaded[i] == here);
    CHECK(kept[i] == (i < count ? 2.0F * here : 0.0F));
  }
  samples::guarded<float> out(there);
  lanes.store(x, out.data());
  CHECK(out.holds(numbers));
}

template <class Isa>
void check_all() {
  if constexpr (vectorized<Isa>) {
    constexpr int width = static_cast<int>(batch<Isa, float>::size);
    for (int count = 0; count <= width; ++count) check<Isa>(simd::first_lanes<Isa>(count), count);
    check<Isa>(simd::first_lanes<Isa>(-3), 0);
    check<Isa>(simd::first_lanes<Isa>(width + 5), width);
    check<Isa>(simd::all_lanes<Isa>(), width);
  }
}

}  // namespace

TEST_CASE("the first lanes of a register are loaded and stored, and no memory after them") {
  check_all<isa::native>();
}
