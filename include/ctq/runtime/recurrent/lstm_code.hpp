// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/core/packing.hpp"
#include "ctq/core/shapes/matrix_shapes.hpp"
#include "ctq/kernels/code/layers.hpp"
#include "ctq/kernels/reference/recurrent/recurrent_gates.hpp"
#include "ctq/kernels/simd/elementwise/quantized_lstm_gates.hpp"
#include "ctq/runtime/recurrent/recurrent_code.hpp"
#include "ctq/runtime/recurrent/static_lstm_layout.hpp"

// PyTorch's quantizable LSTM: the kernels of its observed form and of its quantized form.

namespace ctq::kernels {

/// An LSTM in float, and the values in its cells that are observed.
///
/// Shapes    as recurrent_code; after c the values of each cell in the order in which its steps are
///           computed, [layers · directions, steps, observed_elements]: see observed_lstm_gates
/// Packed    as recurrent_code
template <>
struct kernel_code<descriptors::lstm_observed> : recurrent_code<descriptors::linear> {
  template <class Set, class In, class Out>
  static void run(const recurrent_shape& s, call_options, const operands& x) noexcept {
    float* observed = x.output<float>() + s.sequence_elements() + s.state_elements();
    compute<Set>(s, x,
                 [&observed, &s](const recurrent_step& step, const float* of_input,
                                 const float* of_state, float* h, float* c, float* to) {
                   reference::observed_lstm_gates(step, of_input, of_state, h, c, to, observed);
                   observed += s.observed_elements();
                 });
  }
};

/// An LSTM on integers, all of whose values have qparams of their own; its state is zeros or given.
///
/// Shapes    in: the sequence, and the state as h | c, both [layers · directions, batch, hidden];
///           out: the sequence | h | c, as recurrent_code
/// Packed    static_lstm_layout
/// Workspace products of all inputs | of a hidden state | h | c | of several layers: two sequences
///           | that of the products
/// Rounding  that of the products, as linear; then as quantized_lstm_gates
/// Source    PyTorch torch.ao.nn.quantized.LSTM: integers of several cells that are joined get the
///           qparams of the first one
template <>
struct kernel_code<descriptors::lstm_static> : plain_code {
  template <class Set>
  static constexpr std::size_t packed_bytes(const kernel_signature& signature) {
    const auto s = signature.as<recurrent_shape>();
    std::size_t bytes = 0;
    for (int layer = 0; layer < s.layers; ++layer)
      bytes += static_cast<std::size_t>(s.directions) * layout<Set>(s, layer).bytes;
    return bytes;
  }
  template <class Set>
  static constexpr std::size_t workspace_bytes(const kernel_signature& signature) {
    const auto s = signature.as<recurrent_shape>();
    std::size_t most = linear::workspace_bytes<Set>(state_product(s), quint8);
    for (int layer = 0; layer < s.layers; ++layer)
      most = std::max(most, linear::workspace_bytes<Set>(input_product(s, layer), quint8));
    return memory_of(s).products + most;
  }

  template <class Set, class In, class Out>
  static void run(const recurrent_shape& s, call_options, const operands& x) noexcept {
    const memory at = memory_of(s);
    const auto in_workspace = [&x](std::size_t bytes) {
      return reinterpret_cast<std::uint8_t*>(x.workspace + bytes);
    };
    const auto* sequence = x.input<std::uint8_t>(0);
    const std::byte* packed = x.packed;
    for (int layer = 0; layer < s.layers; ++layer) {
      const static_lstm_layout to = layout<Set>(s, layer);
      std::uint8_t* const out =
          layer + 1 == s.layers ? x.output<std::uint8_t>() : in_workspace(at.sequence[layer % 2]);
      for (int direction = 0; direction < s.directions; ++direction) {
        run_cell<Set>(s, layer * s.directions + direction, sequence, packed, to, x,
                      out + direction * s.hidden);
        packed += to.bytes;
      }
      sequence = out;
    }
  }

 private:
  using linear = kernel_code<descriptors::linear>;

  /// Offsets in the workspace.
  struct memory {
    std::size_t of_state{}, h{}, c{}, sequence[2]{}, products{};
  };
  static constexpr memory memory_of(const recurrent_shape& s) {
    const auto bytes = [](int rows, int width) {
      return packing::padded(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width));
    };
    memory m;
    m.of_state = bytes(s.steps * s.batch, 4 * s.hidden);
    m.h = m.of_state + bytes(s.batch, 4 * s.hidden);
    m.c = m.h + bytes(s.batch, s.hidden);
    m.sequence[0] = m.c + bytes(s.batch, s.hidden);
    const std::size_t sequence = bytes(s.sequence_elements(), 1);
    m.sequence[1] = m.sequence[0] + (s.layers > 1 ? sequence : 0);
    m.products = m.sequence[1] + (s.layers > 2 ? sequence : 0);
    return m;
  }
  template <class Set>
  static constexpr static_lstm_layout layout(const recurrent_shape& s, int layer) {
    return {s, linear::weight_bytes<Set>(input_product(s, layer), quint8),
            linear::weight_bytes<Set>(state_product(s), quint8)};
  }

  /// All steps of a layer in one direction.
  ///   out  of the first step
  template <class Set>
  static void run_cell(const recurrent_shape& s, int cell, const std::uint8_t* sequence,
                       const std::byte* packed, const static_lstm_layout& to, const operands& x,
                       std::uint8_t* out) noexcept {
    const memory at = memory_of(s);
    auto* const of_input = reinterpret_cast<std::uint8_t*>(x.workspace);
    std::uint8_t* const of_state = of_input + at.of_state;
    std::uint8_t* const h = of_input + at.h;
    std::uint8_t* const c = of_input + at.c;
    const auto& own = *reinterpret_cast<const packed_lstm_cell*>(packed);
    const auto multiply = [&](const linear_shape& product, const std::uint8_t* in,
                              std::size_t weights, const qparams& q, std::uint8_t* products)
        __attribute__((always_inline)) {
      linear::run_to<Set, std::uint8_t, std::uint8_t>(product, output_range_of(q, false),
                                                      {.in = {in},
                                                       .out = products,
                                                       .packed = packed + weights,
                                                       .workspace = x.workspace + at.products,
                                                       .data = x.data});
    };
    const auto state = static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.hidden);
    const auto first = static_cast<std::size_t>(cell) * state;
    const auto both = static_cast<std::size_t>(s.cells()) * state;
    if (s.has_state != 0) {
      std::memcpy(h, x.input<std::uint8_t>(1) + first, state);
      std::memcpy(c, x.input<std::uint8_t>(1) + both + first, state);
    } else {
      std::memset(c, 0, state);
    }
    multiply(input_product(s, cell / s.directions), sequence, to.of_input, own.values.igates,
             of_input);
    const std::ptrdiff_t gates = std::ptrdiff_t{4} * s.hidden;
    const std::ptrdiff_t width = s.directions * s.hidden;
    quantized_lstm_step step{.rows = s.batch,
                             .hidden = s.hidden,
                             .x_stride = s.rows_to_next_in_batch() * gates,
                             .past_stride = gates,
                             .to_stride = s.rows_to_next_in_batch() * width};
    for (int i = 0; i < s.steps; ++i) {
      const std::ptrdiff_t row = s.step_of(cell, i) * s.rows_to_next_step();
      const bool reads_zeros = i == 0 && s.has_state == 0;
      step.last_c = i == 0 ? own.first_c : own.values.c;
      step.past_stride = reads_zeros ? 0 : gates;
      const std::uint8_t* past = of_state;
      if (reads_zeros) {
        past = reinterpret_cast<const std::uint8_t*>(packed + to.of_first_state);
      } else {
        multiply(state_product(s), h, i == 0 ? to.of_first_state : to.of_state, own.values.hgates,
                 of_state);
      }
      const std::uint8_t* const read = of_input + row * gates;
      std::uint8_t* const written = out + row * width;
      const std::uint8_t* const output_table = own.requantizes_output != 0 ? own.output : nullptr;
      if constexpr (is_reference<Set>) {
        reference::quantized_lstm_gates(step, own.values, read, past, h, c, written, output_table);
      } else {
        simd::quantized_lstm_gates<typename Set::isa>(step, own.values, read, past, h, c, written,
                                                      output_table);
      }
    }
    std::uint8_t* const last_h = x.output<std::uint8_t>() + s.sequence_elements() + first;
    for (std::size_t i = 0; i < state; ++i) last_h[i] = own.last_h[h[i]];
    for (std::size_t i = 0; i < state; ++i) last_h[both + i] = own.last_c[c[i]];
  }
};

}  // namespace ctq::kernels
