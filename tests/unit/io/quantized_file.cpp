// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/quantized_file.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ctq/backends/native.hpp"
#include "ctq/backends/qconfigs.hpp"
#include "quantized_net.hpp"

using namespace ctq;

TEST_CASE("each bit of the input changes the hash, and so does the length") {
  std::set<std::string> seen;
  std::string text(21, '\0');
  const auto add = [&] {
    quantized_file::hash h;
    h.add(text);
    return seen.insert(h.text()).second;
  };
  CHECK(add());
  for (char& c : text) {
    for (int bit = 0; bit < 8; ++bit) {
      c = static_cast<char>(1 << bit);
      CHECK(add());
    }
    c = 0;
  }
  for (text.clear(); text.size() < 20; text += '\0') CHECK(add());
}

TEST_CASE("the checksum is of names, types, shapes and data") {
  const std::vector<std::byte> zeros(6), ones(6, std::byte{1});
  const auto checksum = [](std::string name, stored_dtype type, std::vector<std::int64_t> shape,
                           const std::vector<std::byte>& data) {
    const stored_tensor t[] = {{std::move(name), type, std::move(shape), data}};
    return quantized_file::checksum_of(t, {{"key", "value"}});
  };
  const std::string one = checksum("w", stored_dtype::u8, {2, 3}, zeros);
  CHECK(checksum("w", stored_dtype::u8, {2, 3}, zeros) == one);
  CHECK(checksum("v", stored_dtype::u8, {2, 3}, zeros) != one);
  CHECK(checksum("w", stored_dtype::i8, {2, 3}, zeros) != one);
  CHECK(checksum("w", stored_dtype::u8, {3, 2}, zeros) != one);
  CHECK(checksum("w", stored_dtype::u8, {2, 3}, ones) != one);
}

TEST_CASE("each observed activation has the name of the first node that it belongs to") {
  constexpr auto all = quantized_file::activations_of<quantized_net::net_plan>.all();
  REQUIRE(!all.empty());
  CHECK(all[0].path() == "x");
  CHECK(all[0].range.max == 255);
  std::set<int> observers;
  for (const auto& a : all) CHECK(observers.insert(a.observer).second);
}

TEST_CASE("of a dynamic observer there is nothing to save") {
  struct dynamic : qconfig_mapping<global<per_channel_dynamic_qconfig>> {};
  using dynamic_plan = plan<small::mlp, x86, dynamic>;
  CHECK(quantized_file::activations_of<dynamic_plan>.all().empty());
}

namespace {

using namespace ctq::literals;
inline constexpr auto with_both_directions =
    model("x"_n = nn::placeholder({2, 1, 3}),
          "rnn"_n = nn::lstm("x"_n, {.hidden_size = 4, .bidirectional = true}),
          "y"_n = op::getitem("rnn"_n, {.index = {0}}), "out"_n = nn::output("y"_n));
struct static_lstm : plan_options {
  static constexpr prepare_custom_config prepare{.custom_modules = {&lstm_custom_module, 1}};
};

}  // namespace

TEST_CASE("values in the cells of an LSTM have the paths of PyTorch's modules") {
  using lstm_plan =
      plan<with_both_directions, native, small::int8, unsupported::error, static_lstm>;
  constexpr auto all = quantized_file::activations_of<lstm_plan>.all();
  REQUIRE(all.size() == 1 + 2 * 7);
  CHECK(all[0].path() == "x");
  CHECK(all[1].path() == "rnn.layers.0.layer_fw.cell.igates");
  CHECK(all[14].path() == "rnn.layers.0.layer_bw.cell.ogate_cy");
  for (int i = 0; i < 15; ++i) CHECK(all[static_cast<std::size_t>(i)].observer == i);
}
