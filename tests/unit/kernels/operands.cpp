// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/kernels/operands.hpp"

#include <doctest/doctest.h>

using namespace ctq;

static_assert(std::is_same_v<element_t<f32>, float>);
static_assert(std::is_same_v<element_t<quint8>, std::uint8_t>);
static_assert(std::is_same_v<element_t<qint8>, std::int8_t>);
static_assert(std::is_same_v<element_t<qint32>, void>);  // no kernel reads one
static_assert(dtype_of<float> == f32 && dtype_of<std::uint8_t> == quint8 &&
              dtype_of<std::int8_t> == qint8);

namespace {

struct two_inputs {
  float in[2][6]{};
  float out[6]{};
  step_data data{.in = {{.scale = 0.5F}, {.scale = 0.25F}}, .out = {.scale = 2.0F}};
  operands x{.in = {in[0], in[1]}, .out = out, .data = &data};
};

}  // namespace

TEST_CASE("operands are typed where they are read") {
  two_inputs t;
  CHECK(t.x.input<float>() == t.in[0]);
  CHECK(t.x.input<float>(1) == t.in[1]);
  CHECK(t.x.output<float>() == t.out);
}

TEST_CASE("an op of the user's own gets its tensors with their shapes and qparams") {
  two_inputs t;
  const auto flat = op_arguments_of<float>(elementwise_shape{6}, t.x);
  CHECK(flat.in[1].data == t.in[1]);
  CHECK(flat.in[1].shape == shape(6));
  CHECK(flat.in[1].qparams.scale == 0.25F);
  CHECK(flat.out.data == t.out);

  const function_shape s{.in = {shape(2, 3), shape(6)}, .out = shape(3, 2)};
  const auto whole = op_arguments_of<float>(s, t.x);
  CHECK(whole.in[0].shape == shape(2, 3));
  CHECK(whole.out.shape == shape(3, 2));
  CHECK(whole.out.qparams.scale == 2.0F);
}
