// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/simd/data_movement/reorder.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/samples.hpp"

using namespace ctq;
using namespace ctq::kernels;

namespace {

template <class T>
void check(const reorder_shape& s, std::size_t elements) {
  std::vector<T> in(elements);
  for (std::size_t i = 0; i < elements; ++i) in[i] = static_cast<T>(i % 251);
  std::size_t count = 1;
  for (const int extent : s.extent) count *= static_cast<std::size_t>(extent);
  const samples::fenced<T> from(in);
  std::vector<T> expected(count);
  samples::guarded<T> out(count);
  reference::reorder(s, from.data(), expected.data());
  simd::reorder<isa::native>(s, from.data(), out.data());
  CHECK(out.holds(expected));
}

}  // namespace

TEST_CASE("reorder writes elements in the order of the axes") {
  const std::vector<int> in = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<int> out(4);
  reference::reorder({{1, 1, 1, 1, 2, 2}, {0, 0, 0, 0, 1, 4}, 2}, in.data(), out.data());
  CHECK(out == std::vector<int>{2, 6, 3, 7});
  reference::reorder({{1, 1, 1, 1, 2, 2}, {0, 0, 0, 0, 0, 3}}, in.data(), out.data());
  CHECK(out == std::vector<int>{0, 3, 0, 3});
}

TEST_CASE_TEMPLATE("simd reorder equals the reference for all permutations", T, std::uint8_t,
                   std::int8_t, float) {
  samples::for_each_seed(samples::seeds(60), [](samples::generator& random, unsigned) {
    int extent[6], stride[6];
    const int offset = random.between(0, 3);
    for (int& e : extent) e = random.between(1, 3);
    extent[random.between(0, 5)] = random.between(1, 40);
    extent[random.between(0, 5)] = random.between(1, 20);
    int next = 1;
    for (int i = 5; i >= 0; --i) {
      stride[i] = next;
      next *= extent[i];
    }
    reorder_shape s{.offset = offset};
    for (int i = 0; i < 6; ++i) {
      const int other = random.between(i, 5);
      std::swap(extent[i], extent[other]);
      std::swap(stride[i], stride[other]);
      s.extent[i] = extent[i];
      s.stride[i] = random.between(0, 9) == 0 ? 0 : stride[i];  // 0: an expansion
    }
    check<T>(s, static_cast<std::size_t>(offset + next));
  });
}
