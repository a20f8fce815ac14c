// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/spec/op_index.hpp"

#include <doctest/doctest.h>

#include "ctq/ops/op_table.hpp"

using namespace ctq;

namespace {

static_assert([] {
  op_index index;
  const bool empty = index.empty() && index.find(nn::relu.id()) == -1;
  index.add(nn::relu.id(), 3);
  index.add(nn::conv2d.id(), 0);
  index.add(nn::relu.id(), 5);
  return empty && !index.empty() && index.find(nn::relu.id()) == 5 &&
         index.find(nn::conv2d.id()) == 0 && index.find(fn::relu.id()) == -1;
}());

TEST_CASE("ops with one hash do not get each other's values") {
  const op_info a{op_kind::function, "one", &no_description, false, 5};
  const op_info b{op_kind::function, "another", &no_description, false, 5};
  op_index index;
  index.add(&a, 1);
  CHECK(index.find(&b) == -1);
  index.add(&b, 2);
  CHECK(index.find(&a) == 1);
  CHECK(index.find(&b) == 2);
}

TEST_CASE("more ops than slots are found") {
  op_index index;
  for (int i = 0; i < naming::builtin_count; ++i)
    index.add(naming::builtin_ops[static_cast<std::size_t>(i)], i);
  for (int i = 0; i < naming::builtin_count; ++i)
    CHECK(index.find(naming::builtin_ops[static_cast<std::size_t>(i)]) == i);
}

}  // namespace
