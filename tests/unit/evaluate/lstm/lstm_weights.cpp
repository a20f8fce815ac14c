// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/evaluate/lstm/lstm_weights.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace ctq;
using namespace ctq::lstm_parts;
using float_ops::extents;
using float_ops::named_value;
using float_ops::tensor;

namespace {

constexpr int features = 3, hidden = 2;

/// A tensor whose first element says which one it is.
named_value numbered(const std::string& name, extents shape, float number) {
  tensor t = float_ops::filled(std::move(shape));
  t.data[0] = number;
  return {name, std::move(t)};
}

/// What an nn.LSTM owns; each tensor has another number.
std::vector<named_value> lstm(int layers, bool both_directions, bool bias = true) {
  std::vector<named_value> all;
  float number = 0.0F;
  for (int layer = 0; layer < layers; ++layer)
    for (int direction = 0; direction < (both_directions ? 2 : 1); ++direction) {
      const std::string end = "l" + std::to_string(layer) + (direction == 0 ? "" : "_reverse");
      const int columns = layer == 0 ? features : hidden * (both_directions ? 2 : 1);
      all.push_back(numbered("weight_ih_" + end, {4 * hidden, columns}, ++number));
      all.push_back(numbered("weight_hh_" + end, {4 * hidden, hidden}, ++number));
      if (!bias) continue;
      all.push_back(numbered("bias_ih_" + end, {4 * hidden}, ++number));
      all.push_back(numbered("bias_hh_" + end, {4 * hidden}, ++number));
    }
  return all;
}

float number_of(const cell_weights& cell, const char* name) {
  const float_ops::value* const v = cell.modules.find(name);
  return v == nullptr ? 0.0F : v->get_if<tensor>()->data[0];
}

std::string why(std::vector<named_value> all) {
  const auto read = read_lstm(std::move(all), "net.lstm");
  return read ? "" : read.error().message();
}

}  // namespace

TEST_CASE("one layer: two linear layers") {
  const auto w = read_lstm(lstm(1, false), "lstm");
  REQUIRE(w.has_value());
  CHECK(w->directions == 1);
  CHECK(w->input == features);
  CHECK(w->hidden == hidden);
  CHECK_FALSE(w->batch_first);
  REQUIRE(w->cells.size() == 1);
  CHECK(w->cells[0].path == "layers.0.layer_fw.cell");
  CHECK(number_of(w->cells[0], "igates.weight") == 1.0F);
  CHECK(number_of(w->cells[0], "hgates.weight") == 2.0F);
  CHECK(number_of(w->cells[0], "igates.bias") == 3.0F);
  CHECK(number_of(w->cells[0], "hgates.bias") == 4.0F);
}

TEST_CASE("two layers in both directions, without biases and with the batch first") {
  std::vector<named_value> all = lstm(2, true, false);
  all.push_back({"batch_first", true});
  const auto w = read_lstm(all, "lstm");
  REQUIRE(w.has_value());
  CHECK(w->directions == 2);
  CHECK(w->batch_first);
  REQUIRE(w->cells.size() == 4);
  CHECK(w->cells[1].path == "layers.0.layer_bw.cell");
  CHECK(w->cells[2].path == "layers.1.layer_fw.cell");
  CHECK(number_of(w->cells[1], "igates.weight") == 3.0F);
  CHECK(number_of(w->cells[3], "hgates.weight") == 8.0F);
  CHECK(w->cells[3].modules.find("igates.bias") == nullptr);
}

TEST_CASE("what is no LSTM, or has projections") {
  CHECK(why({}) == "net.lstm: needs two matrices, weight_ih_l0 and weight_hh_l0");
  CHECK(why({{"weight_ih_l0", float_ops::filled({8})}, {"weight_hh_l0", 1.5}}) ==
        "net.lstm: needs two matrices, weight_ih_l0 and weight_hh_l0");
  std::vector<named_value> projected = lstm(1, false);
  projected.push_back(numbered("weight_hr_l0", {1, hidden}, 1.0F));
  CHECK(why(projected) ==
        "net.lstm: PyTorch's quantizable LSTM has no projections: proj_size must be 0");
}

TEST_CASE("a tensor that is missing, or has another shape") {
  std::vector<named_value> all = lstm(2, false);
  all[5].name = "weight_hh";
  CHECK(why(all) == "net.lstm.weight_hh_l1: is missing in the LSTM");
  all = lstm(2, false);
  all[6].given = float_ops::filled({4});
  CHECK(why(all) ==
        "net.lstm.bias_ih_l1: does not have the shape that follows from weight_ih_l0 and "
        "weight_hh_l0");
  all = lstm(1, true);
  all[4].given = float_ops::filled({4 * hidden, features + 1});
  CHECK(why(all).starts_with("net.lstm.weight_ih_l0_reverse: does not have the shape"));
  all = lstm(1, false);
  all[3].given = 1.5;
  CHECK(why(all).starts_with("net.lstm.bias_hh_l0: does not have the shape"));
}
