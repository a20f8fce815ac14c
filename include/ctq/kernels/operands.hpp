// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ctq/core/op_functions.hpp"
#include "ctq/core/qparams.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/core/shapes/function_shape.hpp"
#include "ctq/kernels/integer_arithmetic.hpp"
#include "ctq/ops/op_descriptor.hpp"

// What a step passes to its kernel at run time: the addresses of values, and the constants that
// convert computed. What the machine code depends on is in the kernel_signature instead.

namespace ctq {

/// The constants of one step.
struct step_data {
  qparams in[2]{};
  qparams out{};
  qparams fused{};                    // of the input of an op that is fused into a layer
  kernels::output_range out_range{};  // conv2d, linear: zero point and bounds, relu included
  attributes options{};               // of an op whose functions are called
  parameter_layout_of parameters{};   // of an op whose functions are called
};

struct operands {
  const void* in[2]{};
  void* out{};
  const std::byte* packed{};  // weights, bias, multipliers, in the kernel's own order
  std::byte* workspace{};
  const step_data* data{};

  template <class T>
  [[nodiscard]] const T* input(int which = 0) const {
    return static_cast<const T*>(in[which]);
  }
  template <class T>
  [[nodiscard]] T* output() const {
    return static_cast<T*>(out);
  }
};

/// The arguments of an op's functions.
template <class T>
[[nodiscard]] op_arguments<T> op_arguments_of(elementwise_shape s, const operands& x) {
  return {
      .in = {{x.input<T>(0), {s.count}, x.data->in[0]}, {x.input<T>(1), {s.count}, x.data->in[1]}},
      .out = {x.output<T>(), {s.count}, x.data->out}};
}
/// The tensors that an op owns.
[[nodiscard]] inline parameter_refs parameters_in(const parameter_layout_of& l,
                                                  const std::byte* packed) {
  const auto floats_at = [packed](std::size_t offset) {
    return reinterpret_cast<const float*>(packed + offset);
  };
  parameter_refs refs;
  for (int p = 0; p < l.parameters.count; ++p) {
    refs.item[p] = {.shape = l.parameters.item[p].shape, .floats = floats_at(l.floats[p])};
    if (p != l.weight) continue;
    refs.item[p].integers = reinterpret_cast<const std::int8_t*>(packed + l.integers);
    refs.item[p].scale = floats_at(l.scales);
  }
  return refs;
}

/// A third tensor follows the second in memory.
template <class T>
[[nodiscard]] op_arguments<T> op_arguments_of(const function_shape& s, const operands& x) {
  return {.in = {{x.input<T>(0), s.in[0], x.data->in[0]}, {x.input<T>(1), s.in[1], x.data->in[1]}},
          .out = {x.output<T>(), s.out, x.data->out},
          .parameters = parameters_in(x.data->parameters, x.packed)};
}

/// The dtype whose elements are T: float, std::uint8_t or std::int8_t.
template <class T>
inline constexpr dtype dtype_of = std::is_same_v<T, float>          ? f32
                                  : std::is_same_v<T, std::uint8_t> ? quint8
                                                                    : qint8;

}  // namespace ctq
