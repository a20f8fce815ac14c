// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/isa.hpp"
#include "ctq/ops/op_descriptor.hpp"
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
// infer_shape  shape(view<shape>, options&, diagnostic&), constexpr, of a function of tensors: it
//              may complete the options; without it the output has the shape of the inputs
// parameters   op_parameters(const options&), constexpr: the tensors that a module owns, by their
//              names in its state_dict. "weight" is quantized, the others are not
// descriptor   op_descriptor, constexpr: all other facts, such as .channel_axis,
//              .is_commutative, .integer_relu_form or .schedule: the kernel of ctq that computes it
//
// apply and run of whole tensors may take const parameter_refs& after the tensors, all may take
// const options& as the last argument. An elementwise op without run works too: on one tensor by a
// table of 256 entries that convert makes, on two by definition. For equal results
// on every machine, no product in apply may be an operand of an addition (see
// core/no_contract.hpp).

namespace ctq::describing {

// A name that Op declares is ambiguous in `mixed`, whatever its type, so a member with the right
// name and the wrong signature is distinguished from none.
struct names {
  void apply();
  void run();
  void infer_shape();
  void parameters();
};
template <class Op>
struct mixed : Op, names {};

template <class Op>
concept names_apply = !requires {
  &mixed<Op>::apply;
};
template <class Op>
concept names_run = !requires {
  &mixed<Op>::run;
};
template <class Op>
concept names_infer_shape = !requires {
  &mixed<Op>::infer_shape;
};
template <class Op>
concept names_parameters = !requires {
  &mixed<Op>::parameters;
};

template <class Op>
using options_of = typename Op::options;

/// Op's static members as functions.
template <class Op>
struct apply_of {
  template <class... X>
  constexpr auto operator()(const X&... x) const requires requires {
    Op::apply(x...);
  }
  { return Op::apply(x...); }
};
template <class Op>
struct run_of {
  template <class... X>
  constexpr auto operator()(const X&... x) const requires requires {
    Op::run(x...);
  }
  { return Op::run(x...); }
};

template <class F, class... X>
concept takes = requires(F f, const X&... x) {
  f(x...);
};

/// Satisfied if f takes these, followed by the parameters, the options, both or neither.
template <class F, class Options, class... X>
concept callable = takes<F, X..., parameter_refs, Options> || takes<F, X..., parameter_refs> ||
    takes<F, X..., Options> || takes<F, X...>;

template <class F, class Options, class... X>
requires callable<F, Options, X...>
constexpr auto call(F f, const parameter_refs& p, const Options& o, const X&... x) {
  if constexpr (takes<F, X..., parameter_refs, Options>) {
    return f(x..., p, o);
  } else if constexpr (takes<F, X..., parameter_refs>) {
    return f(x..., p);
  } else if constexpr (takes<F, X..., Options>) {
    return f(x..., o);
  } else {
    return f(x...);
  }
}

/// Satisfied if Op::apply returns a Result for these.
template <class Op, class Result, class... X>
concept applies_to = requires(const parameter_refs& p, const options_of<Op>& o, const X&... x) {
  { describing::call(apply_of<Op>{}, p, o, x...) } -> std::same_as<Result>;
};

/// Satisfied if Op::run takes these tensors, after an instruction set or without.
template <class Op, class... X>
concept takes_isa = callable<run_of<Op>, options_of<Op>, isa::native, X...>;
template <class Op, class... X>
concept runs_on = takes_isa<Op, X...> || callable<run_of<Op>, options_of<Op>, X...>;

template <class Op, class Q, int Tensors>
inline constexpr bool has_run =
    (Tensors != 2 && runs_on<Op, tensor_ref<const Q>, tensor_ref<Q>>) ||
    (Tensors != 1 && runs_on<Op, tensor_ref<const Q>, tensor_ref<const Q>, tensor_ref<Q>>);

/// Calls f with the tensors that an op reads.
template <int Tensors, class T, class F>
void with_inputs(const op_arguments<T>& x, F f) {
  if constexpr (Tensors == 1) {
    f(x.in[0]);
  } else {
    f(x.in[0], x.in[1]);
  }
}

// The functions below are compiled once for an op, and not into what calls them: however the
// compiler contracts apply, everyone gets the same floats.

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

/// How many tensors Op reads, by its members; 0 if it has none.
template <class Op>
constexpr int tensors_of() {
  using in = tensor_ref<const float>;
  using out = tensor_ref<float>;
  if (applies_to<Op, float, float> || applies_to<Op, void, in, out>) return 1;
  if (applies_to<Op, float, float, float> || applies_to<Op, void, in, in, out>) return 2;
  if (has_run<Op, std::uint8_t, 1> || has_run<Op, std::int8_t, 1>) return 1;
  return has_run<Op, std::uint8_t, 2> || has_run<Op, std::int8_t, 2> ? 2 : 0;
}

/// Which of the members can be called.
template <class Op>
struct usable {
  using in = tensor_ref<const float>;
  using out = tensor_ref<float>;
  static constexpr int tensors = tensors_of<Op>();
  static constexpr bool elementwise =
      applies_to<Op, float, float> || applies_to<Op, float, float, float>;
  static constexpr bool of_tensors =
      !elementwise && (applies_to<Op, void, in, out> || applies_to<Op, void, in, in, out>);
  static constexpr bool run_u8 = has_run<Op, std::uint8_t, tensors>;
  static constexpr bool run_s8 = has_run<Op, std::int8_t, tensors>;
  static constexpr bool infer_shape = requires(options_of<Op> & o, diagnostic& d) {
    { Op::infer_shape(view<shape>{}, o, d) } -> std::same_as<shape>;
  };
  static constexpr bool parameters = requires(const options_of<Op>& o) {
    { Op::parameters(o) } -> std::same_as<op_parameters>;
  };
};

/// What is wrong with a member that cannot be called; nothing if all can.
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

/// The shape by Op::infer_shape; without it that of the inputs, which must be the same.
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
