// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/isa.hpp"
#include "ctq/ops/op_descriptor.hpp"
#include "ctq/ops/op_members.hpp"
#include "ctq/ops/shape_checks.hpp"

// From the static members of an op's type to its descriptor. They are found by their names:
//
//   struct op_swish : ctq::function_op<op_swish, swish_options> {
//     static constexpr std::string_view name = "my.swish";
//     static float apply(float x, const swish_options& o);      its float implementation
//   };
//   inline constexpr op_swish swish{};
//
// apply        float(float), float(float, float): one or two tensors, element by element; or
//              void(tensor_ref<const float>…, tensor_ref<float>): any function of them
// run          void(tensor_ref<const Q>…, tensor_ref<Q>), Q std::uint8_t or std::int8_t: a kernel
//              on integers, with the bytes of dequantize, apply, quantize. The instruction
//              set may come first, as a tag: run(ctq::isa::avx2, …)
// gradient     float(float), or slopes_of_two(float, float): the derivative of an elementwise
//              apply, for training
// infer_shape  shape(view<shape>, options&, diagnostic&), constexpr, of a function of tensors: it
//              may complete the options; without it the output has the shape of the inputs
// parameters   op_parameters(const options&), constexpr: the tensors that a module owns, by their
//              names in its state_dict. "weight" is quantized, the others are not
// descriptor   op_descriptor, constexpr: all other facts, such as .channel_axis,
//              .is_commutative, .integer_relu_form or .schedule: the kernel of ctq that computes it
//
// apply and run of whole tensors may take const parameter_refs& after the tensors, all may take
// const options& as the last argument. An elementwise op without run works too: on one tensor by a
// table of 256 entries that convert makes, on two by dequantize, apply, quantize. For equal results
// on every machine, no product in apply may be an operand of an addition (see
// core/no_contract.hpp).

namespace ctq::describing {

/// Calls f with the tensors that an op reads.
template <int Tensors, class T, class F>
void with_inputs(const op_arguments<T>& x, F f) {
  if constexpr (Tensors == 1) {
    f(x.in[0]);
  } else {
    f(x.in[0], x.in[1]);
  }
}

// The functions below are compiled once for each op, and not inlined: however the compiler
// contracts apply, all callers get the same floats.

template <auto Function, class Options, class Isa, int Tensors>
[[gnu::noinline]] void apply_each(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<Options>();
  const std::size_t n = x.out.size();
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (Tensors == 1) {
      x.out[i] = describing::call(Function, x.parameters, o, x.in[0][i]);
    } else {
      x.out[i] = describing::call(Function, x.parameters, o, x.in[0][i], x.in[1][i]);
    }
  }
}

/// Adds the derivative times grad_out to each gradient that is wanted.
template <auto Slope, class Options, class Isa, int Tensors>
[[gnu::noinline]] void add_gradient_of_each(const gradient_arguments& x,
                                            const attributes& a) noexcept {
  const auto o = a.as<Options>();
  const std::size_t n = x.in[0].size();
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (Tensors == 1) {
      x.grad_in[0][i] += x.grad_out[i] * describing::call(Slope, parameter_refs{}, o, x.in[0][i]);
    } else {
      const slopes_of_two s = describing::call(Slope, parameter_refs{}, o, x.in[0][i], x.in[1][i]);
      if (x.grad_in[0] != nullptr) x.grad_in[0][i] += x.grad_out[i] * s.first;
      if (x.grad_in[1] != nullptr) x.grad_in[1][i] += x.grad_out[i] * s.second;
    }
  }
}

template <class Op, class Isa, int Tensors>
[[gnu::noinline]] void apply_tensors(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<options_of<Op>>();
  with_inputs<Tensors>(x, [&](const auto&... in) {
    describing::call(apply_of<Op>{}, x.parameters, o, in..., x.out);
  });
}

template <class Op, class Isa, int Tensors, class Q>
void run_tensors(const op_arguments<Q>& x, const attributes& a) noexcept {
  const auto o = a.as<options_of<Op>>();
  with_inputs<Tensors>(x, [&]<class... In>(const In&... in) {
    if constexpr (takes_isa<Op, In..., tensor_ref<Q>>) {
      describing::call(run_of<Op>{}, x.parameters, o, Isa{}, in..., x.out);
    } else {
      describing::call(run_of<Op>{}, x.parameters, o, in..., x.out);
    }
  });
}

template <class Op>
constexpr op_parameters parameters(const attributes& a) {
  return Op::parameters(a.as<options_of<Op>>());
}

/// What is wrong with a member that cannot be called; empty if all can.
template <class Op>
constexpr std::string_view problem_of() {
  using can = usable<Op>;
  if (names_apply<Op> && !can::elementwise && !can::of_tensors)
    return "apply must be static:\nfloat(float), float(float, float) or\n"
           "void(tensor_ref<const float>,\ntensor_ref<float>);\nconst options& may come last";
  if (names_run<Op> && !can::run_u8 && !can::run_s8)
    return "run must be static, and take as many\ntensors as apply:\n"
           "void(tensor_ref<const std::uint8_t>,\ntensor_ref<std::uint8_t>);\n"
           "const options& may come last";
  if (names_gradient<Op> && !can::gradient)
    return "gradient must be static, of an\nelementwise apply: float(float) or\n"
           "slopes_of_two(float, float);\nconst options& may come last";
  if (names_infer_shape<Op> && !can::infer_shape)
    return "infer_shape must be static constexpr\nshape(view<shape>, const options&,\n"
           "diagnostic&)";
  if (names_parameters<Op> && !can::parameters)
    return "parameters must be static constexpr\nop_parameters(const options&)";
  if (can::infer_shape && can::elementwise)
    return "infer_shape is for functions of\ntensors, apply is of elements";
  if (can::parameters && can::elementwise)
    return "parameters are for functions of\ntensors, apply is of elements";
  return {};
}

/// The shape that Op::infer_shape returns; without it the shape of the inputs, which must be equal.
template <class Op>
constexpr shape infer_shape(view<shape> in, attributes& a, diagnostic& d) {
  using can = usable<Op>;
  constexpr std::string_view problem = problem_of<Op>();
  if (!problem.empty()) {
    d.line(Op::name, ":").line(problem);
    return {};
  }
  if (can::tensors > 0 && !shape_rules::needs(d, in, can::tensors, 0)) return {};
  if constexpr (can::infer_shape) {
    auto o = a.as<options_of<Op>>();
    shape out = Op::infer_shape(in, o, d);
    a = attributes{o};
    if (d.any()) return {};
    bool valid = out.rank >= 0 && out.rank <= static_cast<int>(max_rank);
    for (int axis = 0; axis < out.rank && valid; ++axis) valid = out[axis] > 0;
    if (!valid) shape_rules::complain(d, "infer_shape returns axes that are\nempty or too many");
    for (std::size_t axis = 0; axis < max_rank; ++axis)  // equal shapes have equal extents
      if (static_cast<int>(axis) >= out.rank) out.extent[axis] = 0;
    return out;
  } else {
    return shape_rules::same_shapes(in, d);
  }
}

template <class Op>
constexpr op_descriptor describe() {
  using can = usable<Op>;
  constexpr int tensors = can::tensors;
  op_descriptor d;
  if constexpr (requires { Op::descriptor; }) d = Op::descriptor;
  if constexpr (names_apply<Op> || names_run<Op> || names_infer_shape<Op>) {
    d.functions = {
        .tensors = tensors, .elementwise = can::elementwise, .problem = problem_of<Op>()};
    d.infer_shape = &describing::infer_shape<Op>;
    if (d.on_integers == on_integers::none) d.on_integers = on_integers::where_functions;
    if (d.schedule.how == schedule_as::nothing) d.schedule.how = schedule_as::function;
  }
  if constexpr (can::elementwise)
    d.functions.apply = &apply_each<apply_of<Op>{}, options_of<Op>, isa::native, tensors>;
  if constexpr (can::gradient)
    d.functions.add_gradient =
        &add_gradient_of_each<gradient_of<Op>{}, options_of<Op>, isa::native, tensors>;
  if constexpr (can::of_tensors) d.functions.apply = &apply_tensors<Op, isa::native, tensors>;
  if constexpr (can::run_u8)
    d.functions.run_u8 = &run_tensors<Op, isa::native, tensors, std::uint8_t>;
  if constexpr (can::run_s8)
    d.functions.run_s8 = &run_tensors<Op, isa::native, tensors, std::int8_t>;
  if constexpr (can::parameters) {
    d.parameters = &describing::parameters<Op>;
    if (d.weights == op_weights::none) d.weights = op_weights::quantizable;
  }
  return d;
}

}  // namespace ctq::describing
