// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/lstm/cell_graphs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <tuple>

#include "../../passes/graphs.hpp"

using namespace ctq;
using namespace ctq::lstm_parts;

namespace {

constexpr qconfig_record static_int8 =
    qconfig<min_max_observer<{.reduce_range = true}>,
            min_max_observer<{.dtype = qint8, .qscheme = qscheme::per_tensor_symmetric}>>::value;

}  // namespace

TEST_CASE("PyTorch's prepare observes seven modules of a cell") {
  const cell_graphs cell(static_int8, 4);
  CHECK_FALSE(cell.problem().any());
  const auto g = cell.prepared().view();
  int observed = 0;
  for (int i = 0; i < g.size(); ++i) {
    if (g[i].op != q::activation_post_process.id() || g[i].observer >= observed_count) continue;
    CHECK(g.arg(i, 0).name == observed_modules[g[i].observer]);
    CHECK(g[i].observer_config->args.reduce_range);
    ++observed;
  }
  CHECK(observed == observed_count);
  // Sigmoid and tanh have the qparams that their kernels give.
  for (const auto& [name, scale, zero_point] :
       {std::tuple{"input_gate", 1.0F / 256, 0}, std::tuple{"forget_gate", 1.0F / 256, 0},
        std::tuple{"out_gate", 1.0F / 256, 0}, std::tuple{"cell_gate", 2.0F / 256, 128},
        std::tuple{"tanh_cy", 2.0F / 256, 128}}) {
    const int at = find(g, name);
    REQUIRE(at >= 0);
    CHECK(g[at + 1].observer_config->type == observer_class::fixed_qparams);
    CHECK(g[at + 1].observer_config->args.scale == scale);
    CHECK(g[at + 1].observer_config->args.zero_point == zero_point);
    CHECK(g[at + 1].observer >= observed_count);
  }
  CHECK(g.observers == observed_count + 5);
}

TEST_CASE("on integers both linear layers, the sums and the products are integer ops") {
  const cell_graphs cell(static_int8, 4);
  CHECK(graphs::print(cell.lowered().view()) == R"(x = placeholder() #12
h = placeholder() #13
c = placeholder() #14
igates = torch.ao.nn.quantized.Linear(x) #0
hgates = torch.ao.nn.quantized.Linear(h) #1
gates = torch.ops.quantized.add(igates, hgates) #2
dequantize_5 = dequantize(gates) #2
parts = torch.chunk(dequantize_5)
part_0 = _operator.getitem(parts)
input_gate = torch.sigmoid(part_0)
quantize_per_tensor_6 = torch.quantize_per_tensor(input_gate) #7
part_1 = _operator.getitem(parts)
forget_gate = torch.sigmoid(part_1)
quantize_per_tensor_7 = torch.quantize_per_tensor(forget_gate) #8
part_2 = _operator.getitem(parts)
cell_gate = torch.tanh(part_2)
quantize_per_tensor_8 = torch.quantize_per_tensor(cell_gate) #9
part_3 = _operator.getitem(parts)
out_gate = torch.sigmoid(part_3)
quantize_per_tensor_9 = torch.quantize_per_tensor(out_gate) #10
fgate_cx = torch.ops.quantized.mul(quantize_per_tensor_7, c) #3
igate_cgate = torch.ops.quantized.mul(quantize_per_tensor_6, quantize_per_tensor_8) #4
fgate_cx_igate_cgate = torch.ops.quantized.add(fgate_cx, igate_cgate) #5
tanh_cy = torch.tanh(fgate_cx_igate_cgate) #11
ogate_cy = torch.ops.quantized.mul(quantize_per_tensor_9, tanh_cy) #6
output = output(ogate_cy, fgate_cx_igate_cgate)
)");
}

TEST_CASE("a qconfig without scale and zero point is a problem") {
  qconfig_record none = static_int8;
  none.activation.type = observer_class::noop;
  const cell_graphs cell(none, 4);
  CHECK(cell.problem().any());
  CHECK(std::string(cell.problem().message()).starts_with("no scale and zero point come from"));
}
