// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/code/layers.hpp"
#include "ctq/kernels/simd/elementwise/recurrent_gates.hpp"
#include "ctq/runtime/dynamic_linear.hpp"
#include "ctq/runtime/recurrent/recurrent_products.hpp"

namespace ctq::kernels {

/// Layers of LSTM, GRU and RNN, and their cells. Another kernel, linear or linear_dynamic, computes
/// the products with weights; those of all inputs at once, before the first step.
///
/// Shapes    in: the sequence [steps, batch, input] or, batch_first, [batch, steps, input]; the
///           state, if there is one · out: the sequence [steps, batch, directions · hidden] or the
///           same with the batch first · h [layers · directions, batch, hidden] · of an LSTM c, the
///           same
/// Packed    for each layer and direction the weights of the input, then of the hidden state, with
///           their biases, as the kernel of the products reads them
/// Workspace products of all inputs | of a hidden state | of several layers: two sequences | that
///           of the products
/// Source    PyTorch: at::lstm, at::gru; quantized::…_dynamic quantizes the whole sequence with its
///           range, and each hidden state with its own
template <class Product>
struct recurrent_code : plain_code {
  using linear = kernel_code<Product>;

  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    const auto s = signature.as<recurrent_shape>();
    std::size_t bytes = 0;
    for (int layer = 0; layer < s.layers; ++layer)
      bytes += static_cast<std::size_t>(s.directions) *
               (product_bytes<Set>(input_product(s, layer)) + product_bytes<Set>(state_product(s)));
    return bytes;
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    const auto s = signature.as<recurrent_shape>();
    return memory_of(s).products + products_workspace<Set>(s);
  }

  template <class Set, class In, class Out>
  static void run(const recurrent_shape& s, call_options, const operands& x) noexcept {
    compute<Set>(
        s, x, [](const auto&... step) __attribute__((always_inline)) {
          if constexpr (is_reference<Set>) {
            reference::recurrent_gates(step...);
          } else {
            simd::recurrent_gates<typename Set::isa>(step...);
          }
        });
  }

 protected:
  /// The same, with a function that computes one step of a cell from its products.
  template <class Set, class Gates>
  [[gnu::always_inline]] static void compute(const recurrent_shape& s, const operands& x,
                                             Gates gates) noexcept {
    const memory at = memory_of(s);
    const auto floats = [&x](std::size_t bytes) {
      return reinterpret_cast<float*>(x.workspace + bytes);
    };
    auto* const out = x.output<float>();
    float* const states = out + s.sequence_elements();
    const auto state_bytes = static_cast<std::size_t>(s.state_elements()) * sizeof(float);
    if (s.has_state != 0) {
      std::memcpy(states, x.input<float>(1), state_bytes);
    } else {
      std::memset(states, 0, state_bytes);
    }
    const auto* sequence = x.input<float>(0);
    const std::byte* packed = x.packed;
    const auto multiply = [&](const linear_shape& product, const float* in, float* to)
        __attribute__((always_inline)) {
      linear::template run<Set, float, float>(
          product, {},
          {.in = {in}, .out = to, .packed = packed, .workspace = x.workspace + at.products});
    };
    for (int layer = 0; layer < s.layers; ++layer) {
      const linear_shape of_input = input_product(s, layer);
      float* const to = s.is_cell != 0          ? nullptr
                        : layer + 1 == s.layers ? out
                                                : floats(at.sequence[layer % 2]);
      for (int direction = 0; direction < s.directions; ++direction) {
        multiply(of_input, sequence, floats(at.of_input));
        packed += product_bytes<Set>(of_input);
        run_steps(s, layer * s.directions + direction, multiply, gates, floats(at.of_input),
                  floats(at.of_state), states, to == nullptr ? nullptr : to + direction * s.hidden);
        packed += product_bytes<Set>(state_product(s));
      }
      sequence = to;
    }
  }

 private:
  /// Offsets in the workspace.
  struct memory {
    std::size_t of_input{}, of_state{}, sequence[2]{}, products{};
  };
  static constexpr memory memory_of(const recurrent_shape& s) {
    const auto bytes = [](int rows, int width) {
      return packing::padded(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width) *
                             sizeof(float));
    };
    memory m;
    m.of_state = bytes(s.steps * s.batch, s.gates() * s.hidden);
    m.sequence[0] = m.of_state + bytes(s.batch, s.gates() * s.hidden);
    const std::size_t sequence = bytes(s.sequence_elements(), 1);
    m.sequence[1] = m.sequence[0] + (s.layers > 1 ? sequence : 0);
    m.products = m.sequence[1] + (s.layers > 2 ? sequence : 0);
    return m;
  }
  static constexpr kernel_signature signature_of_product(const linear_shape& s) {
    return recurrent_product_signature(
        std::is_same_v<Product, descriptors::linear_dynamic> ? kernel::rnn_dynamic : kernel::rnn,
        s);
  }
  template <class Set>
  static constexpr std::size_t product_bytes(const linear_shape& s) {
    return packing::padded(linear::template packed_bytes<Set>(signature_of_product(s)));
  }
  template <class Set>
  static constexpr std::size_t products_workspace(const recurrent_shape& s) {
    std::size_t most =
        linear::template workspace_bytes<Set>(signature_of_product(state_product(s)));
    for (int layer = 0; layer < s.layers; ++layer)
      most = std::max(most, linear::template workspace_bytes<Set>(
                                signature_of_product(input_product(s, layer))));
    return most;
  }

  /// All steps of a layer in one direction.
  ///   states  of all layers
  ///   to      the output of the first step, or null
  template <class Multiply, class Gates>
  [[gnu::always_inline]] static void run_steps(const recurrent_shape& s, int cell,
                                               Multiply multiply, Gates& compute_gates,
                                               const float* of_input, float* of_state,
                                               float* states, float* to) noexcept {
    const std::ptrdiff_t gates = s.gates() * s.hidden;
    const std::ptrdiff_t width = s.directions * s.hidden;
    const std::ptrdiff_t state = std::ptrdiff_t{s.batch} * s.hidden;
    float* const h = states + cell * state;
    float* const c = s.cell == recurrent_cell::lstm ? states + (s.cells() + cell) * state : nullptr;
    const recurrent_step step{s.cell, s.batch, s.hidden, s.rows_to_next_in_batch() * gates,
                              s.rows_to_next_in_batch() * width};
    for (int i = 0; i < s.steps; ++i) {
      const std::ptrdiff_t row = s.step_of(cell, i) * s.rows_to_next_step();
      multiply(state_product(s), h, of_state);
      float* const written = to == nullptr ? nullptr : to + row * width;
      const float* const read = of_input + row * gates;
      compute_gates(step, read, of_state, h, c, written);
    }
  }
};

template <>
struct kernel_code<descriptors::rnn> : recurrent_code<descriptors::linear> {};
template <>
struct kernel_code<descriptors::rnn_dynamic> : recurrent_code<descriptors::linear_dynamic> {};

}  // namespace ctq::kernels
