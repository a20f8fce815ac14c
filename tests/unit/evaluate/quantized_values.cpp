// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/quantized_values.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

quantized_tensor counted(dtype d, int count) {
  quantized_tensor x{{d, -1, {0.5}, {3}, {}}, float_ops::filled<std::int32_t>({2, count / 2})};
  const quant_range r = range_of(d);
  for (int i = 0; i < count; ++i)
    x.q.data[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(r.min) + i * 7 % 256;
  return x;
}

}  // namespace

TEST_CASE("looked_up gives for each element what the function gives for its integer") {
  for (const dtype d : {quint8, qint8}) {
    const quantized_tensor in = counted(d, 600);
    quantized_tensor table = quantized_values::all(in.qparams);
    CHECK(table.q.data.size() == quantized_values::count);
    CHECK(table.q.data.front() == range_of(d).min);
    CHECK(table.q.data.back() == range_of(d).max);
    for (std::int32_t& x : table.q.data) x = 5 - 2 * x;
    table.qparams.scale = {0.25};
    const auto found = quantized_values::looked_up(node_value(table), in);
    const quantized_tensor& out = *found->integers();
    CHECK(out.qparams == table.qparams);
    CHECK(out.q.shape == in.q.shape);
    for (std::size_t i = 0; i < in.q.data.size(); ++i) CHECK(out.q.data[i] == 5 - 2 * in.q.data[i]);
  }
  const auto failed = quantized_values::looked_up(fail({}, "has no scale"), counted(quint8, 600));
  REQUIRE(!failed);
  CHECK(failed.error().cause == "has no scale");
}

TEST_CASE("has_table is for builtin functions of one number, on 8 bits and one scale") {
  const quantized_tensor large = counted(quint8, 600);
  const auto has = [](op_id op, std::vector<node_value> reads) {
    return quantized_values::has_table(op, reads);
  };
  CHECK(has(nn::relu6.id(), {large}));
  CHECK(has(nn::hardswish.id(), {large}));
  CHECK_FALSE(has(nn::relu6.id(), {counted(quint8, 200)}));
  CHECK_FALSE(has(nn::softmax.id(), {large}));
  CHECK_FALSE(has(fn::add.id(), {large, large}));
  CHECK_FALSE(has(nn::relu6.id(), {dequantize(large)}));
  quantized_tensor per_channel = large;
  per_channel.qparams.axis = 0;
  CHECK_FALSE(has(nn::relu6.id(), {per_channel}));
  quantized_tensor wide = large;
  wide.qparams.dtype = qint32;
  CHECK_FALSE(has(nn::relu6.id(), {wide}));
}
