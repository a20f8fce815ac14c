// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstdint>

#include "ctq/core/containers/view.hpp"
#include "ctq/core/diagnostic.hpp"
#include "ctq/core/isa.hpp"
#include "ctq/core/op_functions.hpp"
#include "ctq/core/shape.hpp"
#include "ctq/ops/op_descriptor.hpp"

// Finds the members of an op's type that ops/describe.hpp looks for, and how they can be called.

namespace ctq::describing {

// A name that Op declares is ambiguous in `mixed`, whatever its type, so a member with the right
// name and the wrong signature is distinguished from none.
struct names {
  void apply();
  void run();
  void gradient();
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
concept names_gradient = !requires {
  &mixed<Op>::gradient;
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

template <class Op>
struct gradient_of {
  template <class... X>
  constexpr auto operator()(const X&... x) const requires requires {
    Op::gradient(x...);
  }
  { return Op::gradient(x...); }
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

/// Satisfied if Op::gradient returns a Result for these.
template <class Op, class Result, class... X>
concept has_slope = requires(const options_of<Op>& o, const X&... x) {
  { describing::call(gradient_of<Op>{}, parameter_refs{}, o, x...) } -> std::same_as<Result>;
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
  static constexpr bool gradient =
      elementwise &&
      (tensors == 1 ? has_slope<Op, float, float> : has_slope<Op, slopes_of_two, float, float>);
  static constexpr bool infer_shape = requires(options_of<Op> & o, diagnostic& d) {
    { Op::infer_shape(view<shape>{}, o, d) } -> std::same_as<shape>;
  };
  static constexpr bool parameters = requires(const options_of<Op>& o) {
    { Op::parameters(o) } -> std::same_as<op_parameters>;
  };
};

}  // namespace ctq::describing
