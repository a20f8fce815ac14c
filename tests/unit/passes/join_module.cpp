// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/join_module.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "graphs.hpp"

using namespace ctq;

namespace {

constexpr op_info block{op_kind::module, "my.Block"};

/// The names of the nodes inside, as they are; those of batch norms with the module's.
struct its_names {
  const node* nodes{};
  [[nodiscard]] constexpr std::string_view name(int k) const { return nodes[k].name; }
  [[nodiscard]] constexpr std::string_view batch_norm(int k) const {
    return nodes[k].batch_norm.empty() ? "" : "block.norm";
  }
};

using graph = dynamic_graph<stage::lowered>;

/// x -> quantize #1 -> block -> copy -> dequantize; in the module y -> copy -> layer #0
graph around(int calls = 1, dtype given = quint8) {
  graph g;
  g.observers = 3;  // one more than before convert: an input that is quantized already has #2
  g.add({.name = "x", .op = nn::placeholder.id(), .shape = {2}, .dtype = quint8, .observer = 2},
        nullptr, 0);
  int last = g.add({.name = "quantize",
                    .op = q::quantize_per_tensor.id(),
                    .shape = {2},
                    .dtype = given,
                    .observer = 1},
                   0);
  for (int i = 0; i < calls; ++i)
    last = g.add(
        {.name = i == 0 ? "block" : "block#2", .op = &block, .shape = {2}, .dtype = quint8}, last);
  last = g.add({.name = "copy", .op = nn::max_pool2d.id(), .shape = {2}, .dtype = quint8}, last);
  last = g.add({.name = "float", .op = q::dequantize.id(), .shape = {2}}, last);
  g.add({.name = "out", .op = nn::output.id()}, last);
  return g;
}

graph inside(shape input = {2}) {
  graph g;
  g.observers = 2;
  const int y = g.add(
      {.name = "y", .op = nn::placeholder.id(), .shape = input, .dtype = quint8, .observer = 1},
      nullptr, 0);
  const int copy = g.add(
      {.name = "inner", .op = nn::relu.id(), .shape = {2}, .dtype = quint8, .observer = 1}, y);
  g.add({.name = "real", .op = q::dequantize.id(), .shape = {2}, .observer = 1}, y);
  node layer{.name = "layer", .op = q::linear.id(), .shape = {2}, .dtype = quint8, .observer = 0};
  layer.batch_norm = "norm";
  layer.choice.qconfig = 1;
  layer.choice.pattern = 2;
  const int l = g.add(layer, copy);
  g.add({.name = "out", .op = nn::output.id()}, l);
  return g;
}

graph join(const graph& a, const graph& b) {
  graph out;
  out.open(a.size() + b.size(), 20);
  join_into(a.view(), "block", b.view(), its_names{b.nodes.data()},
            {.observers_around = 2, .observers_inside = 1, .qconfigs = 10, .patterns = 20}, out);
  return out;
}

TEST_CASE("the node of a module becomes its nodes, whose numbers follow those around it") {
  const graph g = join(around(), inside());
  CHECK(!g.problem.any());
  CHECK(graphs::print(g.view()) ==
        "x = placeholder() #3\n"
        "quantize = torch.quantize_per_tensor(x) #1\n"
        "inner = torch.nn.ReLU(quantize) #1\n"  // the qparams of what the input is given
        "real = dequantize(quantize) #1\n"
        "layer = torch.ao.nn.quantized.Linear(inner) #2\n"
        "copy = torch.nn.MaxPool2d(layer) #2\n"  // those of what the module gives
        "float = dequantize(copy)\n"
        "out = output(float)\n");
  CHECK(g.observers == 4);
  const node& layer = g.nodes[4];
  CHECK(layer.batch_norm == "block.norm");
  CHECK(layer.choice.qconfig == 11);
  CHECK(layer.choice.pattern == 22);
}

TEST_CASE("a module that does not fit is a problem") {
  CHECK(join(around(2), inside()).problem.message() ==
        "the standalone module\nnode: block#2\ncompiled code calls it once");
  CHECK(join(around(1, f32), inside()).problem.message() ==
        "the standalone module\nnode: block\nreads quint8 [2]\nis given float32 [2]");
  CHECK(join(around(), inside({3})).problem.message() ==
        "the standalone module\nnode: block\nreads quint8 [3]\nis given quint8 [2]");
}

}  // namespace
