// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

#include "ctq/graph/parameter_arguments.hpp"
#include "ctq/passes/schedule/sequence_steps.hpp"

// Parameters and buffers of a model: operands of steps, or packed with the steps that read them.

namespace ctq::scheduling {

template <class Graph, class Schedule>
class parameter_steps : public sequence_steps<Graph, Schedule> {
 public:
  using base = sequence_steps<Graph, Schedule>;
  using base::base;

 protected:
  using base::arg;
  using base::g_;
  using base::order_of_;
  using base::out_;
  using base::value_of_;
  using base::values_;

  constexpr void constant(int i) {
    has_constants_ = true;
    if (is_only_parameter(g_.nodes, g_.args, g_.count, i)) {
      value_of_[i] = packed;
      return;
    }
    value_of_[i] = this->new_value(0, place::area::constant);
    values_[value_of_[i]].offset = constant_bytes_;
    order_of_[i] = layout::nchw;
    constant_bytes_ += ctq::constant_bytes(g_.nodes[i]);
  }

  /// Whether the output of node i is packed for the functions that read it, and is not an operand.
  constexpr bool is_parameter(int i) {
    if (!has_constants_ || !parameter_arguments::passes_on(g_.nodes[i].op) ||
        g_.nodes[i].arg_count != 1)
      return false;
    const int from = arg(i);
    if (value_of_[from] != packed && (g_.nodes[from].op->kind != op_kind::get_attr ||
                                      !is_only_parameter(g_.nodes, g_.args, g_.count, i)))
      return false;
    value_of_[i] = packed;
    return true;
  }

  /// Whether all arguments but the first are parameters of the model.
  constexpr bool has_parameters(int i) {
    if (g_.nodes[i].op->descriptor->weight_position == 0) return true;
    for (int a = 1; a < g_.nodes[i].arg_count; ++a) {
      if (parameter_of(g_.nodes, g_.args, i, a) >= 0) continue;
      out_.problem.line("no kernel for node ", g_.nodes[i].name, ":");
      constexpr std::string_view why =
          "its weight is computed; kernels read\nparameters, nn::get_attr";
      out_.problem.line(why);
      return false;
    }
    return true;
  }

  bool has_constants_ = false;  // whether the graph has constants or parameters

 private:
  static constexpr int packed = -1;  // the value of nodes that are only read as parameters

  std::size_t constant_bytes_ = 0;  // of the constants so far
};

}  // namespace ctq::scheduling
