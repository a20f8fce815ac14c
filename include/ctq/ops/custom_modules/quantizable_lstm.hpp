// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "ctq/core/text.hpp"
#include "ctq/ops/recurrent.hpp"

// The classes of PyTorch's statically quantized LSTM: the observed one and the quantized one, which
// custom configs name. Both own what nn.LSTM does, and give a tuple as it does.

namespace ctq {

/// The values in a cell that are observed, in the order of the observers, by the modules of
/// PyTorch's quantizable.LSTMCell that give them.
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

/// One of the tensors that an LSTM gives.
enum class lstm_part { output, h, c };

/// Whose qparams a part has, by number among the observers of the LSTM. PyTorch joins the integers
/// of several cells, which get those of the first one: of the last layer, or of all layers.
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
