// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "cpp_call.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/io/fx_graph.hpp"

// The nodes of a traced model as those of a model in C++.

namespace tool {

/// A node in C++.
struct model_row {
  std::string name;
  std::string call;  // nn::conv2d("x"_n, {.out_channels = 6})
  ctq::op_id op{};
  ctq::attributes attrs{};
  ctq::shape shape{};      // of a placeholder or a get_attr
  std::vector<int> reads;  // rows
  int node{};
  int added_item = -1;  // of a tuple that the model returns, which no node selects
};

/// The error and its node; empty: none.
struct node_problem {
  int node = 0;
  std::string words;
};

struct model_rows {
  std::vector<model_row> rows;  // if there is a problem, those before it
  node_problem problem{};
  /// By node: its arguments, with numbers in the place of nodes that compute with shapes.
  std::vector<std::vector<ctq::argument>> arguments{};
};

[[nodiscard]] model_rows rows_of(const ctq::fx_graph& model, const user_op_names& user_ops = {});

}  // namespace tool
