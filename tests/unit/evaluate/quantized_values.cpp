// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/quantized_values.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "ctq/ops/builtin_ops.hpp"

using namespace ctq;

namespace {

quantized_tensor counted(dtype d, int count) {
  std::vector<std::int32_t> all;
  for (int i = 0; i < count; ++i)
    all.push_back(static_cast<std::int32_t>(range_of(d).min) + i * 7 % 256);
  return {{d, -1, {0.5}, {3}, {}}, {2, count / 2}, all};
}

}  // namespace

TEST_CASE("looked_up gives for each element what the function gives for its integer") {
  for (const dtype d : {quint8, qint8}) {
    const quantized_tensor in = counted(d, 600);
    std::vector<std::int32_t> all = quantized_values::all(in.qparams).int_repr();
    REQUIRE(all.size() == quantized_values::count);
    CHECK(all[127] == 127);
    CHECK(all[128] == (d == qint8 ? -128 : 128));
    CHECK(all[255] == (d == qint8 ? -1 : 255));
    for (std::int32_t& x : all) x = 5 - x / 2;
    const quantized_tensor table{{qint8, -1, {0.25}, {3}, {}}, {256}, all};
    const auto found = quantized_values::looked_up(node_value(table), in);
    const quantized_tensor& out = *found->integers();
    CHECK(out.qparams == table.qparams);
    CHECK(out.shape() == in.shape());
    const std::vector<std::int32_t> from = in.int_repr(), to = out.int_repr();
    for (std::size_t i = 0; i < in.size(); ++i) CHECK(to[i] == 5 - from[i] / 2);
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
