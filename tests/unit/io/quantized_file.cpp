// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/io/quantized_file.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

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

TEST_CASE("each observed activation has the name of the first node that it belongs to") {
  const auto all = quantized_file::activations_of(quantized_net::net_plan::prepared.view());
  REQUIRE(!all.empty());
  CHECK(all[0].name == "x");
  CHECK(all[0].range.max == 255);
  std::set<int> observers;
  for (const auto& a : all) CHECK(observers.insert(a.observer).second);
}

TEST_CASE("of a dynamic observer there is nothing to save") {
  struct dynamic : qconfig_mapping<global<per_channel_dynamic_qconfig>> {};
  using dynamic_plan = plan<small::mlp, x86, dynamic>;
  CHECK(quantized_file::activations_of(dynamic_plan::prepared.view()).empty());
}
