// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <vector>

#include "ctq/graph/node.hpp"

// Calls that PyTorch spells in a way that models in C++ do not have, where another op says the
// same.

namespace tool {

/// A call of a traced model: the op, its arguments, and the nodes that it reads.
struct traced_call {
  ctq::op_id op{};
  std::vector<ctq::argument> args;
  std::vector<int> reads;
};

/// What is known of a node that is read; null: nothing.
struct read_nodes {
  std::function<const ctq::shape*(int node)> shape_of;
  std::function<ctq::op_id(int node)> op_of;
  std::function<bool(int node)> are_indices;
};

/// AdaptiveAvgPool2d((None, 1)): the extent of the input takes the place of None.
void settle_output_size(std::vector<ctq::argument>& args, const ctq::shape& in);

/// x.expand_as(y) becomes x.expand(…) with the extents of y, x.max(1).values an element of a tuple,
/// torch.max(x, y) torch.maximum(x, y), torch.add(x, 3, alpha=2) x + 6, F.pad(…, (1, 1, 0, 0)) one
/// with (1, 1) if it has more numbers than models in C++, x[:, [2, 1, 0]] ctq.select_each, and
/// x[:, index] ctq.index_along. Other calls stay.
void respell(traced_call& call, const read_nodes& known);

}  // namespace tool
