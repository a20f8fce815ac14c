// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/recording.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace ctq;
using observers::recorded;
using observers::recording;

namespace {

TEST_CASE("tensors are kept unchanged and in order") {
  recording r({});
  CHECK(!r.observed());
  std::vector<float> data{1, 2};
  r.observe(data, shape(1, 2));
  data[0] = 7;
  r.observe({}, shape(0));
  REQUIRE(r.tensors().size() == 2);
  CHECK(r.tensors()[0] == recorded{{1, 2}, shape(1, 2)});
  CHECK(r.tensors()[1] == recorded{{}, shape(0)});
  r.clear();
  CHECK(!r.observed());
}

TEST_CASE("merged tensors are appended, also those of the observer itself") {
  recording a({}), b({});
  a.observe(std::vector{1.0F}, shape(1));
  b.observe(std::vector{2.0F}, shape(1));
  a.merge(b);
  a.merge(a);
  REQUIRE(a.tensors().size() == 4);
  CHECK(a.tensors()[1].data == std::vector{2.0F});
  CHECK(a.tensors()[2].data == std::vector{1.0F});
}

}  // namespace
