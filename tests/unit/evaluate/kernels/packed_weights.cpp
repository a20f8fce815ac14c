// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/kernels/packed_weights.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>

namespace {

struct counting {
  int made = 0;
  int operator()() { return ++made; }
};

}  // namespace

TEST_CASE("what is made of a weight is kept while the weight is there") {
  ctq::packed_weights<int, int> kept;
  counting make;
  auto weight = std::make_shared<const int>(1);
  CHECK(*kept.of(weight, 7, std::ref(make)) == 1);
  CHECK(*kept.of(weight, 7, std::ref(make)) == 1);
  CHECK(*kept.of(weight, 8, std::ref(make)) == 2);
  CHECK(*kept.of(weight, 7, std::ref(make)) == 3);
  CHECK(kept.size() == 1);

  weight = std::make_shared<const int>(1);
  CHECK(*kept.of(weight, 7, std::ref(make)) == 4);
  CHECK(kept.size() == 1);  // that of the weight that is gone, too
}

TEST_CASE("scratch memory grows and is aligned") {
  ctq::scratch_memory memory;
  const float* const some = memory.of<float>(3);
  CHECK(reinterpret_cast<std::uintptr_t>(some) % 64 == 0);
  CHECK(memory.of<float>(2) == some);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.of<double>(100)) % 64 == 0);
}
