// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/custom_modules/quantizable_lstm.hpp"

#include <string_view>

#include "ctq/core/text.hpp"

using namespace ctq;

namespace {

constexpr attributes one{recurrent_options{.input_size = 3, .hidden_size = 4}};
constexpr attributes four{recurrent_options{
    .input_size = 3, .hidden_size = 4, .num_layers = 2, .bias = false, .bidirectional = true}};

static_assert(descriptors::lstm_observers(one) == 7);
static_assert(descriptors::lstm_observers(four) == 28);

// h is observer 6 of a cell, c is 5. The output is that of the first direction of the last layer.
static_assert(observer_of_part(one, lstm_part::output) == 6);
static_assert(observer_of_part(four, lstm_part::output) == 2 * 7 + 6);
static_assert(observer_of_part(four, lstm_part::h) == 6);
static_assert(observer_of_part(four, lstm_part::c) == 5);

constexpr auto path_of(int directions, int which) {
  static_text<80> path;
  append_lstm_observer(path, directions, which);
  return path;
}
static_assert(path_of(1, 0).view() == "layers.0.layer_fw.cell.igates");
static_assert(path_of(1, 7 + 2).view() == "layers.1.layer_fw.cell.gates");
static_assert(path_of(2, 7 + 6).view() == "layers.0.layer_bw.cell.ogate_cy");
static_assert(path_of(2, 3 * 7 + 5).view() == "layers.1.layer_bw.cell.fgate_cx_igate_cgate");

// Both classes own what nn.LSTM does, and give its tuple.
constexpr const op_descriptor& observed = *quantizable_lstm_class.descriptor;
constexpr const op_descriptor& quantized = *quantized_lstm_class.descriptor;
static_assert(observed.parameters(four).count == nn::lstm.id()->descriptor->parameters(four).count);
static_assert(observed.returns_tuple && quantized.returns_tuple);
static_assert(observed.tuple_item == nn::lstm.id()->descriptor->tuple_item);
static_assert(observed.schedule.kernel == kernel::lstm_observed);
static_assert(quantized.schedule.kernel == kernel::lstm_static);
static_assert(nn::lstm.id()->descriptor->inner_observers == nullptr);

}  // namespace
