// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/float_ops/float_op.hpp"

#include <doctest/doctest.h>

#include "ctq/evaluate/float_ops/convolution_ops.hpp"
#include "ctq/ops/op_table.hpp"

using namespace ctq;
using namespace ctq::float_ops;

namespace {

static_assert(is_same_name("MaxPool2d", "max_pool?d") && is_same_name("max_pool1d", "max_pool?d"));
static_assert(is_same_name("relu_", "relu") && is_same_name("LSTMCell", "lstm_cell"));
static_assert(!is_same_name("max_pool4d", "max_pool?d") && !is_same_name("max_pool", "max_pool?d"));
static_assert(!is_same_name("batch_norm2d", "batch_norm"));
static_assert(!is_same_name("batch_norm", "batch_norm?d"));
static_assert(!is_same_name("", "relu") && !is_same_name("relu", ""));

static_assert(is_named("torch.nn.functional.concat", "cat concat concatenate"));
static_assert(is_named("add_", "add") && is_named("_operator.add", "add"));
static_assert(!is_named("torch.nn.functional.cat", "concat concatenate"));
static_assert(!is_named("torch.nn.ReLU", ""));

constexpr const float_op& transposed = implementation::convolutions[1];

}  // namespace

TEST_CASE("a module is called with its inputs, a function with everything") {
  CHECK(signature_of(transposed, nn::conv_transpose2d.id()).inputs == "input, output_size=None");
  CHECK(signature_of(transposed, nnqr::conv_transpose2d.id()).inputs == "input, output_size=None");
  CHECK(signature_of(transposed, fn::conv_transpose2d.id()).inputs.empty());
  CHECK(signature_of(transposed, fn::conv_transpose2d.id()).parameters == transposed.parameters);
  CHECK(signature_of({}, nn::elu.id()).options == &fields_of<elu_options>);
}
