// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ctq/graph/node.hpp"

// Calls of ops as models in C++ write them: nn::conv2d("x"_n, {.out_channels = 6}).

namespace tool {

/// User-defined ops: their names in PyTorch and in C++, "my.Gate" and "my::gate".
using user_op_names = std::map<std::string, std::string, std::less<>>;

/// A call of a traced model.
struct model_call {
  ctq::op_id op{};
  ctq::view<ctq::argument> args{};        // with numbers in the place of nodes that compute them
  ctq::view<ctq::argument> options{};     // of the module's constructor
  std::vector<std::string_view> reads{};  // the names of the nodes that it reads
  std::string_view
      computed_parameter{};  // one after the first that is no parameter or buffer, or empty
  const ctq::shape* in{};    // the shape, if it reads one node; null: unknown
  bool of_integers = false;  // whether the first node that it reads has integers
};

/// The same in C++.
struct cpp_call {
  std::string code{};
  ctq::attributes attrs{};
  std::string problem{};  // why models in C++ do not have this call, or empty
};

[[nodiscard]] cpp_call write_call(const model_call& call, const user_op_names& user_ops);

/// "a"_n, "b"_n
[[nodiscard]] std::string listed(const std::vector<std::string_view>& names);

}  // namespace tool
