// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ctq/graph/node.hpp"

// Numbers that a traced model computes from the shapes of tensors. In C++ shapes are constants, and
// so are these.

namespace tool {

/// A number, or a tuple of integers; an assertion that holds is an empty one.
struct size_value {
  bool is_tuple = false;
  std::vector<std::int64_t> numbers;  // one if it is no tuple
  std::optional<double> real{};       // instead of an integer
  bool is_flag = false;               // True or False, as an integer
};

/// The arguments that stand for a value in a call.
[[nodiscard]] std::vector<ctq::argument> arguments_of(const size_value& value,
                                                      std::string_view keyword);

/// What a call gives that computes with shapes and integers alone: x.size(0), x.shape[1], n * 2.
///   args   of the call, with earlier such values in the place of their nodes
///   shape  of the tensor that it reads; null: it reads none, or one of unknown shape
[[nodiscard]] std::optional<size_value> size_value_of(ctq::op_id op,
                                                      const std::vector<ctq::argument>& args,
                                                      const ctq::shape* shape);

}  // namespace tool
