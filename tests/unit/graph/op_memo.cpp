// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/graph/op_memo.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

constexpr int size_of_name(op_id op) { return static_cast<int>(op->name.size()); }

static_assert([] {
  op_memo<int> sizes;
  return sizes(nn::relu.id(), size_of_name) == 13 && sizes(nn::conv2d.id(), size_of_name) == 15 &&
         sizes(nn::relu.id(), size_of_name) == 13;
}());

TEST_CASE("a question is asked once an op") {
  op_memo<bool> memo;
  int asked = 0;
  const auto question = [&](op_id) { return ++asked > 0; };
  for (int i = 0; i < 5; ++i) CHECK(memo(nn::relu.id(), question));
  CHECK(asked == 1);
}

TEST_CASE("ops with one hash do not get each other's answers") {
  const op_info a{op_kind::function, "one", &no_description, false, 5};
  const op_info b{op_kind::function, "another", &no_description, false, 5};
  op_memo<int> sizes;
  for (int i = 0; i < 2; ++i) {
    CHECK(sizes(&a, size_of_name) == 3);
    CHECK(sizes(&b, size_of_name) == 7);
  }
}

}  // namespace
