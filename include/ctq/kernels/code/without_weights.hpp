// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>

#include "ctq/core/shapes/window_shapes.hpp"
#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/simd/pooling/pool_of_channels.hpp"

// How a step calls a kernel that has neither weights nor a workspace.

namespace ctq::kernels {

/// Elements are moved or compared as they are: (shape, in, out).
template <class Descriptor>
struct copying_code : plain_code {
  template <class Set, class In, class Out,
            std::convertible_to<typename Descriptor::shape> Shape = typename Descriptor::shape>
  static void run(const Shape& s, call_options, const operands& x) noexcept {
    call<Set, Descriptor>(s, x.input<In>(), x.output<Out>());
  }
};

/// One tensor, and qparams for each operand of integers: (shape, in, qparams…, out).
template <class Descriptor>
struct one_input_code : plain_code {
  template <class Set, class In, class Out,
            std::convertible_to<typename Descriptor::shape> Shape = typename Descriptor::shape>
  static void run(const Shape& s, call_options, const operands& x) noexcept {
    if constexpr (std::same_as<In, float> && std::same_as<Out, float>) {
      call<Set, Descriptor>(s, x.input<In>(), x.output<Out>());
    } else if constexpr (std::same_as<In, float>) {
      call<Set, Descriptor>(s, x.input<In>(), x.data->out, x.output<Out>());
    } else if constexpr (std::same_as<Out, float>) {
      call<Set, Descriptor>(s, x.input<In>(), x.data->in[0], x.output<Out>());
    } else {
      call<Set, Descriptor>(s, x.input<In>(), x.data->in[0], x.data->out, x.output<Out>());
    }
  }
};

/// Pools whose channels fill equal registers share their code.
struct pool_code {
  template <class Set, kernel_signature Signature>
  static constexpr auto shared_shape() {
    constexpr auto s = Signature.template as<pool_shape>();
    if constexpr (is_reference<Set>) {
      return s;
    } else {
      return simd::pool_of_channels<simd::filled_lanes(s.channels)>{s};
    }
  }
};
template <class Descriptor>
struct avg_pool_code : one_input_code<Descriptor>, pool_code {};
template <class Descriptor>
struct max_pool_code : copying_code<Descriptor>, pool_code {};

/// Two tensors of integers: (shape, a, qparams of a, b, qparams of b, qparams of out, out, relu);
/// of float32: (shape, a, b, out, relu); a of float32, b and out of integers: (shape, a, b, qparams
/// of b, qparams of out, out, relu).
template <class Descriptor>
struct two_input_code : plain_code {
  template <class Set, class In, class Out>
  static void run(typename Descriptor::shape s, call_options o, const operands& x) noexcept {
    if constexpr (std::same_as<In, float> && std::same_as<Out, float>) {
      call<Set, Descriptor>(s, x.input<In>(0), x.input<In>(1), x.output<Out>(), o.relu);
    } else if constexpr (std::same_as<In, float>) {
      call<Set, Descriptor>(s, x.input<In>(0), x.input<Out>(1), x.data->in[1], x.data->out,
                            x.output<Out>(), o.relu);
    } else {
      call<Set, Descriptor>(s, x.input<In>(0), x.data->in[0], x.input<In>(1), x.data->in[1],
                            x.data->out, x.output<Out>(), o.relu);
    }
  }
};

}  // namespace ctq::kernels
