// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/core/isa.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/ops/op.hpp"
#include "ctq/ops/shape_checks.hpp"

// How the header of a family lists its ops: one row for each identity,
//
//   OP(namespace, base, identifier, PyTorch's qualified name, options, descriptor)
//
// used twice: CTQ_DECLARE_OP before the descriptors, which may refer to any op of the family,
// CTQ_DESCRIBE_OP after them. ops/builtin_ops.hpp uses the list a third time, for all ops.
//
//   nn::              modules
//   nni::             fused modules
//   nnqat::, nniqat:: their forms in quantization-aware training
//   nnqr::            their reference quantized forms
//   fn::              functions
//   op::              Python operators
//   method::          methods of tensors
//   q::               ops that the passes insert

// The type of an op is the base itself: a derived class would be a second class to compile.

#define CTQ_DECLARE_OP(space, base, identifier, qualified_name, options, description) \
  namespace ctq::space {                                                              \
  extern inline const op_info info_##identifier;                                      \
  using op_##identifier = base<named_by<info_##identifier>, options>;                 \
  inline constexpr op_##identifier identifier{};                                      \
  }

/// The length of a name is that of the array, since counting its characters would take compile time
/// for each op.
#define CTQ_DESCRIBE_OP(space, base, identifier, qualified_name, options, description) \
  inline constexpr ctq::op_info ctq::space::info_##identifier{                         \
      ctq::space::identifier.kind,                                                     \
      {qualified_name, sizeof(qualified_name) - 1},                                    \
      &ctq::descriptors::description,                                                  \
      true};

/// Two rows: a module of PyTorch and the function of the same name.
#define CTQ_MODULE_AND_FUNCTION(OP, identifier, module, options, description) \
  OP(nn, module_op, identifier, "torch.nn." module, options, description)     \
  OP(fn, function_op, identifier, "torch.nn.functional." #identifier, options, description)

/// Two rows: a function of PyTorch and the method of the same name.
#define CTQ_FUNCTION_AND_METHOD(OP, identifier, options, description)         \
  OP(fn, function_op, identifier, "torch." #identifier, options, description) \
  OP(method, method_op, identifier, #identifier, options, description)

namespace ctq {

/// Methods of two tensors, x.matmul(y), or of a tensor and a number.
template <class Self, class Options = no_options>
struct binary_method : method_op<Self, Options> {
  constexpr call<2> operator()(node_name a, node_name b, const Options& o = {}) const {
    return {this->id(), attributes{o}, {a.text, b.text}};
  }
  constexpr call<1> operator()(node_name a,
                               float b) const requires std::same_as<Options, no_options> {
    return {this->id(), attributes{scalar_operand{b, 2}}, {a.text}};
  }
};

}  // namespace ctq

namespace ctq::descriptors {

/// The descriptor of an op that has only a name and perhaps a float implementation.
inline constexpr const op_descriptor& none = no_description;

/// A descriptor, changed by a function.
template <class Record, class Change>
[[nodiscard]] constexpr Record with(Record d, Change change) {
  change(d);
  return d;
}

/// Whether this option is an integer.
template <class Options, float Options::*Number>
constexpr bool has_integer(const attributes& a) {
  return is_integer(a.as<Options>().*Number);
}

/// Changed copies of a descriptor: one whose integer form PyTorch 1.13 does not have; one with
/// another shape rule; one whose output is integers if these inputs are. (Functions, since a lambda
/// for each descriptor would take longer to compile.)
[[nodiscard]] constexpr op_descriptor since_2_1(op_descriptor d) {
  d.is_since_2_1 = true;
  return d;
}
[[nodiscard]] constexpr op_descriptor by_rule(op_descriptor d, op_descriptor::shape_rule rule) {
  d.infer_shape = rule;
  return d;
}
[[nodiscard]] constexpr op_descriptor keeping_integers(op_descriptor d,
                                                       integers_if inputs = integers_if::all_are) {
  d.gives_integers = inputs;
  return d;
}
/// The same, if the options are integers, too.
template <bool (*HasIntegers)(const attributes&)>
[[nodiscard]] constexpr op_descriptor keeping_integers_with(
    op_descriptor d, integers_if inputs = integers_if::all_are) {
  d.has_integer_options = HasIntegers;
  return keeping_integers(d, inputs);
}

/// The same op under a name that changes its tensor in PyTorch. Here it returns a new one: models
/// in which anything else reads the tensor later are not imported.
[[nodiscard]] constexpr op_descriptor in_place(op_descriptor d) {
  d.changes_input = true;
  d.module_form = nullptr;
  return d;
}

/// The functions of ctq's own ops take a number, and the options if there are any. (Finding out
/// what a function takes, as describe.hpp does for user ops, would take compile time for each op.)
template <auto Function, class Options, class Isa>
[[gnu::noinline]] void apply_to_each(const op_arguments<float>& x,
                                     [[maybe_unused]] const attributes& a) noexcept {
  const std::size_t n = x.out.size();
  if constexpr (std::same_as<Options, no_options>) {
    for (std::size_t i = 0; i < n; ++i) x.out[i] = Function(x.in[0][i]);
  } else {
    const auto o = a.as<Options>();
    for (std::size_t i = 0; i < n; ++i) x.out[i] = Function(x.in[0][i], o);
  }
}
template <auto Slope, class Options, class Isa>
[[gnu::noinline]] void add_slope_of_each(const gradient_arguments& x,
                                         [[maybe_unused]] const attributes& a) noexcept {
  const std::size_t n = x.in[0].size();
  if constexpr (std::same_as<Options, no_options>) {
    for (std::size_t i = 0; i < n; ++i) x.grad_in[0][i] += x.grad_out[i] * Slope(x.in[0][i]);
  } else {
    const auto o = a.as<Options>();
    for (std::size_t i = 0; i < n; ++i) x.grad_in[0][i] += x.grad_out[i] * Slope(x.in[0][i], o);
  }
}

/// The functions of an op that computes element by element, from its function of numbers.
template <auto Function, class Options = no_options>
inline constexpr op_functions elementwise{
    .tensors = 1, .elementwise = true, .apply = &apply_to_each<Function, Options, isa::native>};

/// The same with its derivative, for training.
template <auto Function, auto Slope, class Options = no_options>
inline constexpr op_functions differentiable{
    .tensors = 1,
    .elementwise = true,
    .apply = &apply_to_each<Function, Options, isa::native>,
    .add_gradient = &add_slope_of_each<Slope, Options, isa::native>};

/// The sizes of a step of `count` elements.
constexpr kernel_signature::sizes of_elements(std::int64_t count) {
  return to_block<kernel_signature::sizes>(elementwise_shape{static_cast<int>(count)});
}
constexpr kernel_signature::sizes element_count(attributes, shape, shape out) {
  return of_elements(static_cast<std::int64_t>(numel(out)));
}

/// One step that reads `tensors` tensors, in any order of their elements.
constexpr op_schedule in_any_order(kernel_id kernel, int tensors = 1, bool relu = false) {
  return {.how = schedule_as::step,
          .kernel = kernel,
          .tensors = tensors,
          .relu = relu,
          .sizes = &element_count};
}

/// One step of a tensor whose elements are in this order.
constexpr op_schedule in_order(kernel_layout layout, kernel_id kernel,
                               op_schedule::sizes_function sizes, bool relu = false) {
  return {
      .how = schedule_as::step, .kernel = kernel, .relu = relu, .layout = layout, .sizes = sizes};
}

/// The shape rule of an op whose output has the shape of its input.
constexpr shape same_shape(view<shape> in, attributes&, diagnostic& d) {
  return shape_rules::needs(d, in, 1, 0) ? in[0] : shape{};
}

/// A function of one number that PyTorch's backends leave in float.
constexpr op_descriptor float_activation(const op_functions& functions) {
  return {.infer_shape = &same_shape,
          .functions = functions,
          .schedule = {.how = schedule_as::function}};
}

}  // namespace ctq::descriptors
