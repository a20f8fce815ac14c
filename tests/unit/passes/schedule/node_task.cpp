// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/schedule/node_task.hpp"

#include <doctest/doctest.h>

#include "own_ops.hpp"

using namespace ctq;

namespace {

using scheduling::task;
using scheduling::task_of;

static_assert(task_of(nn::placeholder.id()) == task::placeholder);
static_assert(task_of(q::activation_post_process.id()) == task::observe);

TEST_CASE("an op has the same task in float and on integers") {
  CHECK(task_of(nn::conv2d.id()) == task::conv2d);
  CHECK(task_of(q::conv2d.id()) == task::conv2d);
  CHECK(task_of(nni::linear_relu.id()) == task::linear_relu);
  CHECK(task_of(q::linear_relu.id()) == task::linear_relu);
  CHECK(task_of(q::linear_dynamic.id()) == task::linear_dynamic);
  CHECK(task_of(q::linear_relu_dynamic.id()) == task::linear_relu_dynamic);
  CHECK(task_of(op::add.id()) == task::add);
  CHECK(task_of(q::add.id()) == task::add);
  CHECK(task_of(fn::mul.id()) == task::mul);
  CHECK(task_of(q::mul.id()) == task::mul);
  CHECK(task_of(q::mul_relu.id()) == task::mul_relu);
}

TEST_CASE("modules, functions and methods of one meaning have one task") {
  CHECK(task_of(nn::relu.id()) == task::relu);
  CHECK(task_of(fn::relu.id()) == task::relu);
  CHECK(task_of(method::relu.id()) == task::relu);
}

TEST_CASE("the steps of other ops are their definitions, and of some there are none") {
  CHECK(task_of(nn::sigmoid.id()) == task::elementwise);
  CHECK(task_of(own::swish.id()) == task::own);
  CHECK(task_of(nn::lstm.id()) == task::unknown);
}

}  // namespace
