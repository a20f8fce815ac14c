// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/ops/backend_ops.hpp"
#include "ctq/train/gradients/arithmetic.hpp"
#include "ctq/train/gradients/elements.hpp"
#include "ctq/train/gradients/pools.hpp"
#include "ctq/train/node_state.hpp"
#include "ctq/train/random.hpp"

// Forward and backward of one node, by the gradient rule that its op's descriptor names.

namespace ctq::training {

/// How the nodes of a graph are trained.
struct training_mode {
  bool training = true;       // dropout drops, batch norms use the statistics of the batch
  bool frozen_norms = false;  // batch norms use their running statistics, and do not move them
  double batch_norm_momentum = 0.1;

  [[nodiscard]] bool norm_of_batch() const { return training && !frozen_norms; }
};

/// A node of the graph with its own state and those of its arguments.
template <class Isa>
struct node_in_training {
  const node& n;
  node_state<Isa>& out;
  std::vector<node_state<Isa>*> args;

  [[nodiscard]] const op_descriptor& descriptor() const { return *n.op->descriptor; }
  [[nodiscard]] std::size_t count() const { return out.value.size(); }
  template <class Options>
  [[nodiscard]] Options options() const {
    return n.attrs.template as<Options>();
  }
  /// Calls visit(argument, its rows) for each part of a concatenation.
  template <class Visit>
  void for_each_part(Visit visit) const {
    const int axis = options<cat_options>().dim;
    std::size_t earlier = 0;
    for (node_state<Isa>* const part : args) {
      visit(*part, concatenated_rows(part->shape, out.shape, axis, earlier));
      earlier += static_cast<std::size_t>(part->shape[axis]);
    }
  }
};

namespace op_gradients {

inline void relu_in_place(std::vector<float>& x) {
  for (float& y : x) y = y < 0.0F ? 0.0F : y;
}

/// The two operands of a node: its arguments, or one and a number.
template <class Isa>
class two_operands {
 public:
  explicit two_operands(const node_in_training<Isa>& x) {
    const auto number = x.template options<scalar_operand>();
    for (std::size_t i = 0, arg = 0; i < 2; ++i) {
      if (x.args.size() == 1 && number.position == static_cast<int>(i) + 1) {
        value_ = number.value;
        operand_[i].data = &value_;
        operand_[i].shape.rank = x.out.shape.rank;
        for (int axis = 0; axis < x.out.shape.rank; ++axis) operand_[i].shape[axis] = 1;
      } else {
        arg_[i] = static_cast<int>(arg);
        operand_[i].data = x.args[arg]->value.data();
        operand_[i].shape = x.args[arg++]->shape;
      }
    }
  }
  two_operands(const two_operands&) = delete;
  two_operands& operator=(const two_operands&) = delete;

  void want_gradients(const node_in_training<Isa>& x) {
    for (std::size_t i = 0; i < 2; ++i)
      if (arg_[i] >= 0)
        operand_[i].gradient = x.args[static_cast<std::size_t>(arg_[i])]->wanted_gradient();
  }
  [[nodiscard]] const operand_ref<float>& operator[](std::size_t i) const { return operand_[i]; }

 private:
  float value_{};
  operand_ref<float> operand_[2]{};
  int arg_[2] = {-1, -1};
};

/// Calls the functions of the op itself.
template <class Isa>
void apply_functions(const node_in_training<Isa>& x) {
  op_arguments<float> call{.out = {x.out.value.data(), x.out.shape}};
  for (std::size_t a = 0; a < x.args.size() && a < 2; ++a)
    call.in[a] = {x.args[a]->value.data(), x.args[a]->shape};
  x.descriptor().functions.apply(call, x.n.attrs);
}
template <class Isa>
void add_gradient_of_functions(const node_in_training<Isa>& x) {
  gradient_arguments call{.grad_out = x.out.gradient.data()};
  for (std::size_t a = 0; a < x.args.size() && a < 2; ++a) {
    call.in[a] = {x.args[a]->value.data(), x.args[a]->shape};
    call.grad_in[a] = x.args[a]->wanted_gradient();
  }
  x.descriptor().functions.add_gradient(call, x.n.attrs);
}

}  // namespace op_gradients

/// Computes the value of a node.
/// Requires  an op with a gradient, or the output; not a fake quantize. The value has its size
/// Errors    as layer and trained_norm
template <class Isa>
[[nodiscard]] status apply(const node_in_training<Isa>& x, const training_mode& mode,
                           random_source& random) {
  node_state<Isa>& out = x.out;
  const node_state<Isa>& in = *x.args[0];
  const float* const from = in.value.data();
  float* const to = out.value.data();
  switch (x.descriptor().gradient) {
    case gradient_rule::same: out.value = in.value; break;
    case gradient_rule::layer:
      return out.layer->forward(in.shape, from, out.shape, to, mode.norm_of_batch(),
                                mode.batch_norm_momentum);
    case gradient_rule::batch_norm: {
      status normed =
          out.norm->forward(out.shape, from, mode.norm_of_batch(), mode.batch_norm_momentum, to);
      if (x.descriptor().schedule.relu) op_gradients::relu_in_place(out.value);
      return normed;
    }
    case gradient_rule::sum:
    case gradient_rule::difference:
    case gradient_rule::product:
    case gradient_rule::quotient: {
      const op_gradients::two_operands<Isa> operands(x);
      apply_arithmetic(x.descriptor().gradient, out.shape, operands[0], operands[1], to);
      break;
    }
    case gradient_rule::concatenation:
      x.for_each_part([&](const node_state<Isa>& part, const concatenated_rows& rows) {
        apply_concatenation(rows, part.value.data(), to);
      });
      break;
    case gradient_rule::max_pool:
      apply_max_pool(x.template options<max_pool2d_options>(), in.shape, out.shape, from, to,
                     out.chosen);
      break;
    case gradient_rule::avg_pool:
      apply_average_pool(x.template options<avg_pool2d_options>(), in.shape, out.shape, from, to);
      break;
    case gradient_rule::adaptive_avg_pool:
      apply_average_pool(x.template options<adaptive_avg_pool2d_options>(), in.shape, out.shape,
                         from, to);
      break;
    case gradient_rule::dropout:
      out.factors.clear();
      if (mode.training)
        apply_dropout(x.count(), x.template options<dropout_options>().p, random, from, to,
                      out.factors);
      else
        out.value = in.value;
      break;
    case gradient_rule::none:
      if (x.n.op->kind == op_kind::output)
        out.value = in.value;
      else
        op_gradients::apply_functions(x);
  }
  return done{};
}

/// Adds the gradients of a node's parameters and arguments, given that of its output, which may be
/// overwritten.
/// Errors  as layer
template <class Isa>
[[nodiscard]] status add_gradient(const node_in_training<Isa>& x) {
  node_state<Isa>& out = x.out;
  node_state<Isa>& in = *x.args[0];
  float* const grad = out.gradient.data();
  if (out.layer)
    return out.layer->backward(in.shape, in.value.data(), out.shape, out.value.data(), grad,
                               in.wanted_gradient());
  if (out.norm) {
    if (x.descriptor().schedule.relu)
      for (std::size_t i = 0; i < x.count(); ++i) grad[i] = out.value[i] > 0.0F ? grad[i] : 0.0F;
    out.norm->backward(out.shape, in.value.data(), grad);
  }
  if (std::ranges::none_of(x.args, [](const auto* a) { return a->needs_gradient; })) return done{};
  switch (x.descriptor().gradient) {
    case gradient_rule::sum:
    case gradient_rule::difference:
    case gradient_rule::product:
    case gradient_rule::quotient: {
      op_gradients::two_operands<Isa> operands(x);
      operands.want_gradients(x);
      add_arithmetic_gradient(x.descriptor().gradient, out.shape, operands[0], operands[1], grad);
      break;
    }
    case gradient_rule::concatenation:
      x.for_each_part([&](node_state<Isa>& part, const concatenated_rows& rows) {
        if (float* const to = part.wanted_gradient()) add_concatenation_gradient(rows, grad, to);
      });
      break;
    case gradient_rule::max_pool:
      add_max_pool_gradient(out.chosen, grad, in.writable_gradient());
      break;
    case gradient_rule::avg_pool:
      add_average_pool_gradient(x.template options<avg_pool2d_options>(), in.shape, out.shape, grad,
                                in.writable_gradient());
      break;
    case gradient_rule::adaptive_avg_pool:
      add_average_pool_gradient(x.template options<adaptive_avg_pool2d_options>(), in.shape,
                                out.shape, grad, in.writable_gradient());
      break;
    case gradient_rule::dropout:
      if (out.factors.empty())
        add_to(x.count(), grad, in.writable_gradient());
      else
        add_gradient_of_factors(x.count(), out.factors.data(), grad, in.writable_gradient());
      break;
    case gradient_rule::same:
    case gradient_rule::layer:
    case gradient_rule::batch_norm: add_to(x.count(), grad, in.writable_gradient()); break;
    case gradient_rule::none:
      if (x.n.op->kind == op_kind::output)
        add_to(x.count(), grad, in.writable_gradient());
      else
        op_gradients::add_gradient_of_functions(x);
  }
  return done{};
}

}  // namespace ctq::training
