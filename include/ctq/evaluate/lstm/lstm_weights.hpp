// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ctq/core/result.hpp"
#include "ctq/evaluate/float_ops/value.hpp"
#include "ctq/evaluate/module_state.hpp"

// The tensors of an nn.LSTM, arranged for its cells: one for each layer and direction, each with
// two linear layers.

namespace ctq::lstm_parts {

struct cell_weights {
  std::string path{};      // as in PyTorch's quantizable LSTM: layers.0.layer_fw.cell
  module_state modules{};  // igates and hgates
};

struct lstm_weights {
  std::vector<cell_weights> cells{};  // by layer; of each layer the directions
  int directions = 1;
  int input{};
  int hidden{};
  bool batch_first = false;
};

namespace reading {

/// A tensor of this shape; null if there is no value with this name.
/// Errors  a tensor of another shape, or another value
[[nodiscard]] inline result<const float_ops::value*> tensor(
    std::vector<float_ops::named_value>& all, const std::string& path, const std::string& name,
    const float_ops::extents& shape) {
  const float_ops::value* const v = find(all, name);
  if (v == nullptr) return v;
  const auto* const t = v->get_if<float_ops::tensor>();
  if (t != nullptr && t->shape == shape) return v;
  return fail(path + "." + name,
              "does not have the shape that follows from weight_ih_l0 and weight_hh_l0");
}

/// The last extent of a matrix; 0 if there is none of this name.
[[nodiscard]] inline int columns(std::vector<float_ops::named_value>& all, std::string_view name) {
  const float_ops::value* const v = find(all, name);
  const auto* const t = v == nullptr ? nullptr : v->get_if<float_ops::tensor>();
  return t == nullptr || t->shape.size() != 2 ? 0 : t->shape[1];
}

/// The two layers of one cell.
///   suffix  l0, l1_reverse
[[nodiscard]] inline result<cell_weights> cell(std::vector<float_ops::named_value>& all,
                                               const std::string& path, const std::string& suffix,
                                               int input, int hidden) {
  cell_weights out;
  for (const auto& [layer, of, columns] :
       {std::tuple{"igates", "ih_", input}, std::tuple{"hgates", "hh_", hidden}}) {
    const std::string name = of + suffix;
    const auto weight = tensor(all, path, "weight_" + name, {4 * hidden, columns});
    if (!weight) return unexpected{weight.error()};
    if (*weight == nullptr) return fail(path + ".weight_" + name, "is missing in the LSTM");
    const auto bias = tensor(all, path, "bias_" + name, {4 * hidden});
    if (!bias) return unexpected{bias.error()};
    out.modules.set_tensor(std::string(layer) + ".weight", **weight);
    if (*bias != nullptr) out.modules.set_tensor(std::string(layer) + ".bias", **bias);
  }
  return out;
}

}  // namespace reading

/// The weights of the cells.
///   all   the tensors of nn.LSTM, weight_ih_l0 and so on, and its options
///   path  of the module, for errors
/// Errors  tensors that are missing or have other shapes, projections
[[nodiscard]] inline result<lstm_weights> read_lstm(std::vector<float_ops::named_value> all,
                                                    const std::string& path) {
  if (find(all, "weight_hr_l0") != nullptr)
    return fail(path, "PyTorch's quantizable LSTM has no projections: proj_size must be 0");
  lstm_weights out;
  out.input = reading::columns(all, "weight_ih_l0");
  out.hidden = reading::columns(all, "weight_hh_l0");
  if (out.input == 0 || out.hidden == 0)
    return fail(path, "needs two matrices, weight_ih_l0 and weight_hh_l0");
  out.directions = find(all, "weight_ih_l0_reverse") == nullptr ? 1 : 2;
  const float_ops::value* const first = find(all, "batch_first");
  out.batch_first = first != nullptr && float_ops::as_integer(*first).value_or(0) != 0;
  for (int layer = 0; layer == 0 || find(all, "weight_ih_l" + std::to_string(layer)) != nullptr;
       ++layer)
    for (int direction = 0; direction < out.directions; ++direction) {
      const std::string number = std::to_string(layer);
      const int input = layer == 0 ? out.input : out.directions * out.hidden;
      auto cell = reading::cell(all, path, "l" + number + (direction == 0 ? "" : "_reverse"), input,
                                out.hidden);
      if (!cell) return unexpected{cell.error()};
      cell->path = "layers." + number + (direction == 0 ? ".layer_fw" : ".layer_bw") + ".cell";
      out.cells.push_back(*std::move(cell));
    }
  return out;
}

}  // namespace ctq::lstm_parts
