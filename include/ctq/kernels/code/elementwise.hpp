// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>

#include "ctq/kernels/kernel_code.hpp"
#include "ctq/kernels/reference/add.hpp"
#include "ctq/kernels/reference/add_within_one_step.hpp"
#include "ctq/kernels/reference/batch_norm2d.hpp"
#include "ctq/kernels/reference/dequantize.hpp"
#include "ctq/kernels/reference/mul.hpp"
#include "ctq/kernels/reference/quantize.hpp"
#include "ctq/kernels/reference/relu.hpp"
#include "ctq/kernels/reference/rescale.hpp"
#include "ctq/kernels/simd/elementwise/add.hpp"
#include "ctq/kernels/simd/elementwise/add_within_one_step.hpp"
#include "ctq/kernels/simd/elementwise/batch_norm2d.hpp"
#include "ctq/kernels/simd/elementwise/dequantize.hpp"
#include "ctq/kernels/simd/elementwise/mul.hpp"
#include "ctq/kernels/simd/elementwise/quantize.hpp"
#include "ctq/kernels/simd/elementwise/relu.hpp"
#include "ctq/kernels/simd/elementwise/rescale.hpp"

namespace ctq::kernels {

template <>
struct kernel_code<descriptors::quantize> : one_input_code<descriptors::quantize> {
  static void reference(auto... x) noexcept { reference::quantize(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::quantize<Isa>(x...);
  }
};

template <>
struct kernel_code<descriptors::dequantize> : one_input_code<descriptors::dequantize> {
  static void reference(auto... x) noexcept { reference::dequantize(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::dequantize<Isa>(x...);
  }
};

template <>
struct kernel_code<descriptors::requantize> : one_input_code<descriptors::requantize> {
  static void reference(auto... x) noexcept { reference::requantize(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::requantize<Isa>(x...);
  }
};

template <>
struct kernel_code<descriptors::relu> : one_input_code<descriptors::relu> {
  static void reference(auto... x) noexcept { reference::relu(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::relu<Isa>(x...);
  }
};

/// Two tensors: (shape, a, qparams of a, b, qparams of b, qparams of out, out, more…), of float32
/// without qparams.
template <class Descriptor>
struct two_input_code : plain_code {
  template <class Set, class T, class... More>
  [[gnu::always_inline]] static void run_with(elementwise_shape s, const operands& x,
                                              More... more) noexcept {
    if constexpr (std::same_as<T, float>) {
      call<Set, Descriptor>(s, x.input<T>(0), x.input<T>(1), x.output<T>(), more...);
    } else {
      call<Set, Descriptor>(s, x.input<T>(0), x.data->in[0], x.input<T>(1), x.data->in[1],
                            x.data->out, x.output<T>(), more...);
    }
  }
  template <class Set, class In, class Out>
  static void run(elementwise_shape s, call_options o, const operands& x) noexcept {
    run_with<Set, In>(s, x, o.relu);
  }
};

template <>
struct kernel_code<descriptors::add> : two_input_code<descriptors::add> {
  template <class Set, class In, class Out>
  static void run(elementwise_shape s, call_options, const operands& x) noexcept {
    run_with<Set, In>(s, x, false);
  }
  static void reference(auto... x) noexcept { reference::add(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::add<Isa>(x...);
  }
};

template <>
struct kernel_code<descriptors::add_relu> : kernel_code<descriptors::add> {
  template <class Set, class In, class Out>
  static void run(elementwise_shape s, call_options, const operands& x) noexcept {
    run_with<Set, In>(s, x, true);
  }
};

template <>
struct kernel_code<descriptors::add_within_one_step>
    : two_input_code<descriptors::add_within_one_step> {
  static void reference(auto... x) noexcept { reference::add_within_one_step(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::add_within_one_step<Isa>(x...);
  }
};

template <>
struct kernel_code<descriptors::mul> : two_input_code<descriptors::mul> {
  static void reference(auto... x) noexcept { reference::mul(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::mul<Isa>(x...);
  }
};

/// Packed    scale, then shift, one of each a channel
template <>
struct kernel_code<descriptors::batch_norm2d> : plain_code {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& key) {
    return static_cast<std::size_t>(key.as<channels_shape>().channels) * 2 * sizeof(float);
  }
  template <class Set, class In, class Out>
  static void run(channels_shape s, call_options o, const operands& x) noexcept {
    const auto* const scale = reinterpret_cast<const float*>(x.packed);
    call<Set, descriptors::batch_norm2d>(s, x.input<In>(), scale, scale + s.channels, o.relu,
                                         x.output<Out>());
  }
  static void reference(auto... x) noexcept { reference::batch_norm2d(x...); }
  template <class Isa>
  [[gnu::always_inline]] static void simd(auto... x) noexcept {
    simd::batch_norm2d<Isa>(x...);
  }
};

}  // namespace ctq::kernels
