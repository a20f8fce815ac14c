// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/ops/recurrent.hpp"

// The classes of PyTorch's statically quantized LSTM, the observed one and the quantized one, which
// custom configs name. Both own the same tensors as nn.LSTM, and return a tuple as it does.

namespace ctq {

/// The modules of PyTorch's quantizable.LSTMCell whose outputs are observed, in the order of the
/// observers.
inline constexpr std::string_view lstm_cell_modules[lstm_cell_values] = {
    "igates", "hgates", "gates", "fgate_cx", "igate_cgate", "fgate_cx_igate_cgate", "ogate_cy"};

namespace descriptors {

constexpr int lstm_observers(const attributes& a) {
  return lstm_cell_values *
         recurrent_options_of<recurrent_cell::lstm, recurrent_options>(a).cells();
}

constexpr op_descriptor static_lstm(kernel_id kernel) {
  op_descriptor d = recurrent_dynamic<recurrent_cell::lstm, recurrent_options>();
  d.inner_observers = &lstm_observers;
  d.schedule.kernel = kernel;
  return d;
}
inline constexpr op_descriptor quantizable_lstm = static_lstm(kernel::lstm_observed);
inline constexpr op_descriptor quantized_lstm = static_lstm(kernel::lstm_static);

}  // namespace descriptors

inline constexpr op_info quantizable_lstm_class{op_kind::module, "torch.ao.nn.quantizable.LSTM",
                                                &descriptors::quantizable_lstm};
inline constexpr op_info quantized_lstm_class{op_kind::module, "torch.ao.nn.quantized.LSTM",
                                              &descriptors::quantized_lstm};

/// One of the tensors that an LSTM returns.
enum class lstm_part { output, h, c };

/// The observer whose qparams a part has, by number among those of the LSTM. PyTorch joins the
/// integers of several cells, which get the qparams of the first cell: of the last layer, or of all
/// layers.
[[nodiscard]] constexpr int observer_of_part(const attributes& options, lstm_part part) {
  const auto s =
      descriptors::recurrent_options_of<recurrent_cell::lstm, recurrent_options>(options);
  const int cell = part == lstm_part::output ? (s.layers - 1) * s.directions : 0;
  const lstm_cell_value value = part == lstm_part::c ? lstm_cell_value::c : lstm_cell_value::h;
  return lstm_cell_values * cell + static_cast<int>(value);
}

/// Appends the path of an observer in PyTorch's module: "layers.0.layer_fw.cell.igates".
///   which  its number among those of the LSTM
template <class Text>
constexpr void append_lstm_observer(Text& out, int directions, int which) {
  const int cell = which / lstm_cell_values;
  out.append("layers.");
  append_number(out, cell / directions);
  out.append(cell % directions == 0 ? ".layer_fw.cell." : ".layer_bw.cell.");
  out.append(lstm_cell_modules[which % lstm_cell_values]);
}

}  // namespace ctq
