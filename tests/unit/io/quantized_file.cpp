// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/quantized_file.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

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
