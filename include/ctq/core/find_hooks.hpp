// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ctq/core/isa.hpp"
#include "ctq/core/op_hooks.hpp"

// From the static members of an op to its op_hooks.

namespace ctq {

namespace hooking {

// A name that Op declares is ambiguous in `mixed`, whatever it stands for: so a member of the
// right name and the wrong signature can be told from none.
struct names {
  void apply();
  void run();
  void infer_shape();
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
inline constexpr bool declares_any = names_apply<Op> || names_run<Op> || names_infer_shape<Op>;

template <class Op, class... X>
concept calls_apply = requires(X... x) {
  Op::apply(x...);
};
template <class Op, class... X>
concept calls_run = requires(X... x) {
  Op::run(x...);
};

template <class Op>
using options_of = typename Op::options;

/// Op::apply, with the options if it takes them.
template <class Op, class... X>
requires(calls_apply<Op, X..., options_of<Op>> || calls_apply<Op, X...>)  //
    constexpr auto apply(const options_of<Op>& o, X... x) {
  if constexpr (calls_apply<Op, X..., options_of<Op>>) {
    return Op::apply(x..., o);
  } else {
    return Op::apply(x...);
  }
}

/// Satisfied if Op::apply takes these numbers.
template <class Op, class... X>
concept applies_to = requires(const options_of<Op>& o, X... x) {
  { hooking::apply<Op>(o, x...) } -> std::same_as<float>;
};
/// Satisfied if Op::apply takes these tensors, and one for the output.
template <class Op, class... X>
concept applies_to_tensors = requires(const options_of<Op>& o, X... x) {
  { hooking::apply<Op>(o, x..., tensor_ref<float>{}) } -> std::same_as<void>;
};

/// Satisfied if Op::run takes these tensors, with or without the instruction set and the options.
template <class Op, class... X>
concept runs_on = calls_run<Op, isa::native, X..., options_of<Op>> ||
    calls_run<Op, isa::native, X...> || calls_run<Op, X..., options_of<Op>> || calls_run<Op, X...>;

template <class Op, class... X>
void run(const options_of<Op>& o, X... x) {
  if constexpr (calls_run<Op, isa::native, X..., options_of<Op>>) {
    Op::run(isa::native{}, x..., o);
  } else if constexpr (calls_run<Op, isa::native, X...>) {
    Op::run(isa::native{}, x...);
  } else if constexpr (calls_run<Op, X..., options_of<Op>>) {
    Op::run(x..., o);
  } else {
    Op::run(x...);
  }
}

template <class Op, class Q, int Tensors>
inline constexpr bool has_run =
    (Tensors != 2 && runs_on<Op, tensor_ref<const Q>, tensor_ref<Q>>) ||
    (Tensors != 1 && runs_on<Op, tensor_ref<const Q>, tensor_ref<const Q>, tensor_ref<Q>>);

// The functions below are compiled once for an op, and not into what calls them: however the
// compiler contracts apply, everyone gets the same floats.

template <class Op, class Isa, int Tensors>
[[gnu::noinline]] void apply_elements(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<options_of<Op>>();
  const std::size_t n = x.out.size();
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (Tensors == 1) {
      x.out[i] = hooking::apply<Op>(o, x.in[0][i]);
    } else {
      x.out[i] = hooking::apply<Op>(o, x.in[0][i], x.in[1][i]);
    }
  }
}

template <class Op, class Isa, int Tensors>
[[gnu::noinline]] void apply_tensors(const op_arguments<float>& x, const attributes& a) noexcept {
  const auto o = a.as<options_of<Op>>();
  if constexpr (Tensors == 1) {
    hooking::apply<Op>(o, x.in[0], x.out);
  } else {
    hooking::apply<Op>(o, x.in[0], x.in[1], x.out);
  }
}

template <class Op, class Isa, int Tensors, class Q>
void run_tensors(const op_arguments<Q>& x, const attributes& a) noexcept {
  const auto o = a.as<options_of<Op>>();
  if constexpr (Tensors == 1) {
    hooking::run<Op>(o, x.in[0], x.out);
  } else {
    hooking::run<Op>(o, x.in[0], x.in[1], x.out);
  }
}

template <class Op>
constexpr shape infer_shape(view<shape> in, const attributes& a, diagnostic& d) {
  return Op::infer_shape(in, a.as<options_of<Op>>(), d);
}

/// How many tensors Op reads; 0 if none of its members says.
template <class Op>
constexpr int tensors_of() {
  using in = tensor_ref<const float>;
  if (applies_to<Op, float>) return 1;
  if (applies_to<Op, float, float>) return 2;
  if (applies_to_tensors<Op, in>) return 1;
  if (applies_to_tensors<Op, in, in>) return 2;
  if (has_run<Op, std::uint8_t, 1> || has_run<Op, std::int8_t, 1>) return 1;
  return has_run<Op, std::uint8_t, 2> || has_run<Op, std::int8_t, 2> ? 2 : 0;
}

/// Which of the members can be called.
template <class Op>
struct usable {
  using in = tensor_ref<const float>;
  static constexpr int tensors = tensors_of<Op>();
  static constexpr bool elementwise = applies_to<Op, float> || applies_to<Op, float, float>;
  static constexpr bool of_tensors =
      !elementwise && (applies_to_tensors<Op, in> || applies_to_tensors<Op, in, in>);
  static constexpr bool run_u8 = has_run<Op, std::uint8_t, tensors>;
  static constexpr bool run_s8 = has_run<Op, std::int8_t, tensors>;
  static constexpr bool infer_shape = requires(const options_of<Op>& o, diagnostic& d) {
    { Op::infer_shape(view<shape>{}, o, d) } -> std::same_as<shape>;
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
  if (can::infer_shape && can::elementwise)
    return "infer_shape is for functions of\ntensors, apply is of elements";
  return {};
}

template <class Op>
constexpr op_hooks find() {
  using can = usable<Op>;
  constexpr int tensors = can::tensors;
  op_hooks h{.tensors = tensors, .elementwise = can::elementwise, .problem = problem_of<Op>()};
  if constexpr (can::infer_shape) h.infer_shape = &infer_shape<Op>;
  if constexpr (can::elementwise) h.apply = &apply_elements<Op, isa::native, tensors>;
  if constexpr (can::of_tensors) h.apply = &apply_tensors<Op, isa::native, tensors>;
  if constexpr (can::run_u8) h.run_u8 = &run_tensors<Op, isa::native, tensors, std::uint8_t>;
  if constexpr (can::run_s8) h.run_s8 = &run_tensors<Op, isa::native, tensors, std::int8_t>;
  return h;
}

template <class Op>
inline constexpr op_hooks found = find<Op>();

/// The hooks of an op; null if it declares none, as the ops that ctq knows.
template <class Op>
constexpr const op_hooks* of() {
  if constexpr (declares_any<Op>) {
    return &found<Op>;
  } else {
    return nullptr;
  }
}

}  // namespace hooking

}  // namespace ctq
