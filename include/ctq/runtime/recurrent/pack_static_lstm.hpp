// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ctq/core/containers/list.hpp"
#include "ctq/core/containers/span.hpp"
#include "ctq/core/result.hpp"
#include "ctq/core/shapes/elementwise_shapes.hpp"
#include "ctq/graph/node.hpp"
#include "ctq/graph/place_of.hpp"
#include "ctq/kernels/reference/called_op.hpp"
#include "ctq/kernels/reference/requantize.hpp"
#include "ctq/ops/activations.hpp"
#include "ctq/passes/schedule/step.hpp"
#include "ctq/runtime/compiled_kernels/kernel_set.hpp"
#include "ctq/runtime/output_arithmetic.hpp"
#include "ctq/runtime/recurrent/recurrent_parameters.hpp"
#include "ctq/runtime/recurrent/static_lstm_layout.hpp"
#include "ctq/runtime/state_dict.hpp"

// From the weights of a statically quantized LSTM and the qparams of the values in its cells to
// what its kernel reads.

namespace ctq::packing {

/// Requantizes the entries of a table, if the qparams differ.
template <int = 0>
[[gnu::cold]] void requantize_table(std::uint8_t (&table)[256], const qparams& from,
                                    const qparams& to) {
  if (from == to) return;
  kernels::reference::requantize(elementwise_shape{256}, table, from, to, table);
}

/// The cells of an LSTM, in the order of its layers and their directions.
template <int = 0>
class static_lstm_packing {
 public:
  ///   own  the qparams of all values in the cells
  static_lstm_packing(const kernel_packing& kernels, const step& s, const node& n,
                      const state_dict& state, const step_data& data, span<const qparams> own)
      : kernels_(kernels),
        s_(s.signature.as<recurrent_shape>()),
        n_(n),
        state_(state),
        data_(data),
        own_(own),
        weights_(recurrent_weights(s_, n)) {}

  [[nodiscard]] status pack(std::byte* packed) const {
    for (int cell = 0; cell < s_.cells(); ++cell) {
      const static_lstm_layout at{s_, bytes_of(2 * cell), bytes_of(2 * cell + 1)};
      if (const status ok = pack_cell(cell, at, packed); !ok) return ok;
      packed += at.bytes;
    }
    return done{};
  }

 private:
  /// The signature of a product. Each cell has two: of the input, then of the hidden state.
  [[nodiscard]] kernel_signature signature_of_product(int product) const {
    return recurrent_product_signature(kernel::lstm_static, weights_[index(product)].product);
  }
  [[nodiscard]] std::size_t bytes_of(int product) const {
    return kernels_.packed_bytes(signature_of_product(product));
  }
  [[nodiscard]] static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  [[nodiscard]] const qparams& of(int cell, lstm_cell_value value) const {
    return own_[index(lstm_cell_values * cell + static_cast<int>(value))];
  }
  [[nodiscard]] int first_of_layer(int cell) const { return cell / s_.directions * s_.directions; }

  [[nodiscard]] status pack_cell(int cell, const static_lstm_layout& at, std::byte* packed) const {
    const packed_lstm_cell values = values_of(cell);
    std::memcpy(packed, &values, sizeof values);
    const qparams& input = cell < s_.directions
                               ? data_.in[0]
                               : of(first_of_layer(cell) - s_.directions, lstm_cell_value::h);
    const qparams& hidden = of(cell, lstm_cell_value::h);
    status ok = pack_product(2 * cell, input, values.values.igates, packed + at.of_input);
    if (ok && s_.steps > 1)
      ok = pack_product(2 * cell + 1, hidden, values.values.hgates, packed + at.of_state);
    if (!ok) return ok;
    if (s_.has_state != 0)
      return pack_product(2 * cell + 1, data_.in[1], values.values.hgates,
                          packed + at.of_first_state);
    return pack_first_product(2 * cell + 1, values.values.hgates, packed + at.of_first_state);
  }

  [[nodiscard]] packed_lstm_cell values_of(int cell) const {
    using value = lstm_cell_value;
    packed_lstm_cell p;
    kernels::quantized_lstm_cell& v = p.values;
    v.igates = of(cell, value::igates);
    v.hgates = of(cell, value::hgates);
    v.gates = of(cell, value::gates);
    v.fgate_cx = of(cell, value::fgate_cx);
    v.igate_cgate = of(cell, value::igate_cgate);
    v.c = of(cell, value::c);
    v.h = of(cell, value::h);
    const auto make_table = [](op_id op, const qparams& from, const qparams& to, auto& table) {
      kernels::reference::make_table(op->descriptor->functions, {}, from, to, table);
    };
    make_table(fn::sigmoid.id(), v.gates, sigmoid_qparams, v.sigmoid);
    make_table(fn::tanh.id(), v.gates, tanh_qparams, v.tanh);
    make_table(fn::tanh.id(), v.c, tanh_qparams, v.tanh_of_c);
    // Zeros have the scale 1 and the zero point 0.
    p.first_c = s_.has_state != 0 ? data_.fused : qparams{};
    for (int i = 0; i < 256; ++i)
      p.output[i] = p.last_h[i] = p.last_c[i] = static_cast<std::uint8_t>(i);
    // PyTorch joins the directions of a layer before the layers.
    const int first = first_of_layer(cell);
    p.requantizes_output = v.h == of(first, value::h) ? 0 : 1;
    requantize_table(p.output, v.h, of(first, value::h));
    requantize_table(p.last_h, v.h, of(first, value::h));
    requantize_table(p.last_h, of(first, value::h), of(0, value::h));
    requantize_table(p.last_c, v.c, of(first, value::c));
    requantize_table(p.last_c, of(first, value::c), of(0, value::c));
    return p;
  }

  [[nodiscard]] status pack_product(int which, const qparams& in, const qparams& out,
                                    std::byte* packed) const {
    const recurrent_weight& product = weights_[index(which)];
    const auto w = weight_of(product, state_);
    if (!w) return unexpected{w.error()};
    const auto bias = bias_of(product, state_);
    if (!bias) return unexpected{bias.error()};
    const auto a = output_arithmetic_of(*bias, *w, in, quint8, out, quint8);
    if (!a)
      return fail(place_of(n_) + ", " + product.weight + ", " + a.error().place, a.error().cause);
    kernels_.pack(
        signature_of_product(which),
        {a->weights(w->weight.data()), a->bias.data(), a->multiplier.data(), in.zero_point},
        packed);
    return done{};
  }

  /// Packs the product of a hidden state of zeros: its bias, requantized, which always fits int32.
  [[nodiscard]] status pack_first_product(int which, const qparams& out, std::byte* packed) const {
    const recurrent_weight& product = weights_[index(which)];
    const auto w = weight_of(product, state_);
    if (!w) return unexpected{w.error()};
    const auto bias = bias_of(product, state_);
    if (!bias) return unexpected{bias.error()};
    const kernels::output_range range = kernels::output_range_of(out, false);
    for (std::size_t i = 0; i < w->scale.size(); ++i) {
      const auto c = kernels::channel_arithmetic_of((*bias)[i], {}, {}, quint8, w->scale[i],
                                                    out.scale, quint8);
      packed[i] = static_cast<std::byte>(kernels::requantize(c.bias, c.multiplier, range));
    }
    return done{};
  }

  const kernel_packing& kernels_;
  recurrent_shape s_;
  const node& n_;
  const state_dict& state_;
  const step_data& data_;
  span<const qparams> own_;
  list<recurrent_weight> weights_;
};

/// Packs the cells of an LSTM.
/// Errors  as state_dict::floats; with the node: a sum that could leave int32
template <int = 0>
[[nodiscard, gnu::cold]] status pack_static_lstm(const kernel_packing& kernels, const step& s,
                                                 const node& n, const state_dict& state,
                                                 const step_data& data, span<const qparams> qparams,
                                                 std::byte* packed) {
  const auto first = static_cast<std::size_t>(s.out_observer);
  return static_lstm_packing<>{kernels, s, n, state, data, qparams.subspan(first)}.pack(packed);
}

}  // namespace ctq::packing
