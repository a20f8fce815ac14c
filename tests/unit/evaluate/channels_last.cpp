// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/channels_last.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

using namespace ctq;

namespace {

static_assert(nn::relu6.id()->descriptor->is_clamp && !nn::relu.id()->descriptor->is_clamp);
static_assert(nn::relu.id()->descriptor->keeps_memory_order &&
              !nn::elu.id()->descriptor->keeps_memory_order);

/// Lowered ops one behind the other, all on quint8.
dynamic_graph<stage::lowered> chain(std::initializer_list<op_id> ops, dtype d = quint8) {
  dynamic_graph<stage::lowered> g;
  g.add(node{.name = "x", .op = nn::placeholder.id()}, nullptr, 0);
  for (const op_id op : ops) {
    node n{.name = "n", .op = op};
    n.dtype = d;
    g.add(n, static_cast<int>(g.nodes.size()) - 1);
  }
  return g;
}

bool last_is_mixed_up(std::initializer_list<op_id> ops, dtype d = quint8) {
  const auto g = chain(ops, d);
  return clamps_channels_last(g.view(), g.view().size() - 1);
}

// As PyTorch 1.13 was seen to answer.
TEST_CASE("a clamp after a convolution reads channels that are the last axis") {
  CHECK(last_is_mixed_up({q::conv2d.id(), nn::relu6.id()}));
  CHECK(last_is_mixed_up({q::functional_conv2d.id(), fn::hardtanh.id()}));
  CHECK(last_is_mixed_up({q::conv3d.id(), method::clamp.id()}));
  CHECK(last_is_mixed_up({nn::batch_norm2d.id(), nn::relu6.id()}));
  CHECK(last_is_mixed_up({q::conv2d.id(), nn::sigmoid.id(), nn::max_pool2d.id(), nn::relu6.id()}));
}

TEST_CASE(
    "without a convolution, or behind what puts channels in their place, nothing is mixed up") {
  CHECK(!last_is_mixed_up({q::quantize_per_tensor.id(), nn::relu6.id()}));
  CHECK(!last_is_mixed_up({q::conv2d.id(), nn::elu.id(), nn::relu6.id()}));
  CHECK(!last_is_mixed_up({q::conv2d.id(), method::contiguous.id(), nn::relu6.id()}));
  CHECK(!last_is_mixed_up({q::conv2d.id(), nn::relu6.id(), nn::relu6.id()}));  // the first has
  CHECK(!last_is_mixed_up({q::conv2d.id(), nn::relu.id()}));
  CHECK(!last_is_mixed_up({q::conv2d.id(), nn::relu6.id()}, qint8));
  CHECK(!last_is_mixed_up({nn::conv2d.id(), nn::relu6.id()}, f32));
}

TEST_CASE("a sum lies as its first input does, a cat needs both") {
  for (const bool conv_first : {true, false}) {
    auto g = chain({q::conv2d.id()});
    const int both[] = {conv_first ? 1 : 0, conv_first ? 0 : 1};
    node sum{.name = "sum", .op = q::add.id()};
    sum.dtype = quint8;
    g.add(sum, both, 2);
    CHECK(lies_channels_last(g.view(), 2) == conv_first);
    node cat{.name = "cat", .op = fn::cat.id()};
    cat.dtype = quint8;
    g.add(cat, both, 2);
    CHECK(!lies_channels_last(g.view(), 3));
    const int same[] = {1, 1};
    g.add(cat, same, 2);
    CHECK(lies_channels_last(g.view(), 4));
  }
}

TEST_CASE("mixed up, pixels stand where channels were") {
  const quantized_tensor image{{}, {1, 2, 1, 3}, {1, 2, 3, 11, 12, 13}};
  const node_value mixed = with_channels_mixed_up(node_value(image));
  CHECK(mixed.integers()->shape() == image.shape());
  CHECK(mixed.integers()->int_repr() == std::vector<std::int32_t>{1, 11, 2, 12, 3, 13});
  const quantized_tensor matrix{{}, {2, 3}, {1, 2, 3, 11, 12, 13}};
  CHECK(with_channels_mixed_up(node_value(matrix)).integers()->int_repr() == matrix.int_repr());
}

}  // namespace
