// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/op_kernels.hpp"

#include <doctest/doctest.h>

using namespace ctq;

TEST_CASE("the scalar set is the plain loops") {
  const op_kernels<reference_kernels> kernels;
  CHECK(&kernels.floats() == &float_ops::plain);
  const float_ops::tensor x{{1, 2}, {1.0F, 2.0F}};
  const quantization steps{quint8, -1, {0.5}, {3}, {}};
  const quantized_tensor q = kernels.quantize(x, steps);
  CHECK(q.q.data == quantize(x, steps).q.data);
  CHECK(kernels.dequantize(q).data == x.data);

  const node_value weight = quantize(float_ops::tensor{{1, 2}, {1.0F, -1.0F}}, {qint8, -1, {1.0}});
  CHECK(kernels.linear(q, weight, nullptr, steps, false).q.data ==
        integer_linear(q, *weight.integers(), nullptr, steps, false).q.data);
}
