// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <boost/mp11/algorithm.hpp>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "ctq/core/isa.hpp"
#include "ctq/core/kernel_descriptors.hpp"
#include "ctq/core/op_functions.hpp"
#include "ctq/kernels/baseline_warning.hpp"
#include "ctq/kernels/operands.hpp"
#include "ctq/kernels/tuning_warning.hpp"

// The code of kernels. kernel_code<Descriptor> has
//
//   reference, simd<Isa>   the scalar reference, and the kernel of an instruction set; both compute
//                          the same bytes, but for the last bits of float32 layers without fma
//                          (float_dot) and the payload of NaN
//   run<Set, In, Out>      calls one of them with the operands of a step; often inherited
//   packed_bytes, workspace_bytes, append_blocking   if they differ from those of plain_code
//
// A shape is a record, or an integral_constant of one: then the kernel is compiled for it alone.

namespace ctq {

/// Which implementation of the kernels runs, as a tag.
struct reference_kernels {
  using isa = isa::scalar;
};
template <class Isa>
struct simd_kernels {
  using isa = Isa;
};
/// The kernels of the instruction set that the translation unit is compiled for or, with
/// CTQ_COMPILED_KERNELS, those of the library ctq-kernels.
using fast_kernels = simd_kernels<isa::of_models>;

}  // namespace ctq

namespace ctq::kernels {

template <class Set>
inline constexpr bool is_reference = std::same_as<Set, reference_kernels>;

/// The same kernels for layers that are not depthwise convolutions: the functions that pack weights
/// have no code for these.
template <class Set>
struct without_depthwise : Set {};

template <class Set>
inline constexpr bool has_depthwise = true;
template <class Set>
inline constexpr bool has_depthwise<without_depthwise<Set>> = false;

/// What kernels are told of a signature besides types and shape.
struct call_options {
  bool relu{};
  const op_functions* op{};  // of kernels that call one
};

template <class Descriptor>
struct kernel_code;

template <kernel_id Id>
using descriptor_of = boost::mp11::mp_at_c<descriptors::list, static_cast<std::size_t>(Id)>;

/// Calls f(type_identity<Descriptor>) for a kernel that is known at run time.
template <class F>
constexpr auto with_descriptor(kernel_id k, F f) {
  return boost::mp11::mp_with_index<kernel_count>(static_cast<std::size_t>(k), [&](auto index) {
    return f(std::type_identity<descriptor_of<static_cast<kernel_id>(index.value)>>{});
  });
}

/// Calls the implementation that a set chooses.
template <class Set, class Descriptor, class... Argument>
[[gnu::always_inline]] inline void call(const Argument&... arguments) noexcept {
  if constexpr (is_reference<Set>) {
    kernel_code<Descriptor>::reference(arguments...);
  } else {
    kernel_code<Descriptor>::template simd<typename Set::isa>(arguments...);
  }
}

/// The base of the code of kernels without weights, without workspace and without a choice of
/// blocking.
struct plain_code {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature&) {
    return 0;
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature&) {
    return 0;
  }
  /// Appends how an instruction set divides the work, as text.
  template <class Set, class Text>
  static constexpr void append_blocking(Text& out, const kernel_signature&) {
    out.append("-");
  }
};

}  // namespace ctq::kernels
