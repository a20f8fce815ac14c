// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/check_convert_mapping.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/backends/x86.hpp"
#include "ctq/graph/model.hpp"
#include "ctq/passes/convert.hpp"
#include "ctq/passes/fuse.hpp"
#include "ctq/passes/prepare.hpp"

using namespace ctq;
using namespace ctq::literals;

namespace {

constexpr auto net =
    model("x"_n = nn::placeholder({1, 2}), "fc"_n = nn::linear("x"_n, {.out_features = 2}),
          "y"_n = nn::relu("fc"_n), "out"_n = nn::output("y"_n));

using usual = qconfig<min_max_observer<>, per_channel_min_max_observer<>>;
using other = qconfig<histogram_observer<>, per_channel_min_max_observer<>>;
using none = qconfig_none;

/// The message of convert, if it is told Said after Prepared.
template <class Prepared, class Said>
std::string message() {
  const auto fused = fuse(net.view(), backend_v<x86>);
  const auto prepared = prepare_graph(fused.view(), backend_v<x86>, mapping_v<Prepared>);
  const mapping_view said = mapping_v<Said>;
  const auto reference =
      convert_graph(prepared.view(), backend_v<x86>, mapping_v<Prepared>, {.mapping = &said});
  return std::string(reference.problem.message());
}

using everywhere = qconfig_mapping<global<usual>>;

TEST_CASE("convert accepts the same mapping, and None for single keys") {
  CHECK(message<everywhere, everywhere>().empty());
  CHECK(message<everywhere, qconfig_mapping<global<usual>, module_name<"fc", none>>>().empty());
  CHECK(message<everywhere, qconfig_mapping<global<usual>, object_type<nn::relu, none>>>().empty());
  using named = qconfig_mapping<global<usual>, module_name<"fc", usual>>;
  CHECK(message<named, qconfig_mapping<global<usual>, module_name<"fc", none>>>().empty());
}

TEST_CASE("what prepare leaves in float convert leaves in float") {
  using only_fc = qconfig_mapping<global<none>, module_name<"fc", usual>>;
  CHECK(message<only_fc, only_fc>().empty());
}

TEST_CASE("another qconfig, a missing key and a global None are errors") {
  const auto names = [](const std::string& text, const char* key) {
    return text.find("the qconfig_mapping of convert") != std::string::npos &&
           text.find(key) != std::string::npos;
  };
  CHECK(
      message<everywhere, qconfig_mapping<global<other>>>() ==
      "the qconfig_mapping of convert says\nneither None nor what that of prepare does\nglobal: ");
  CHECK(names(message<everywhere, qconfig_mapping<global<none>>>(), "global"));
  using named = qconfig_mapping<global<usual>, module_name<"fc", usual>>;
  CHECK(names(message<named, everywhere>(), "module_name: fc"));
  CHECK(names(message<named, qconfig_mapping<global<usual>, module_name<"fc", other>>>(),
              "module_name: fc"));
  // A key that prepare did not have may say None only.
  CHECK(names(message<everywhere, qconfig_mapping<global<usual>, module_name<"fc", other>>>(),
              "node: fc"));
  using partly = qconfig_mapping<global<usual>, module_name<"fc", none>>;
  CHECK(names(message<partly, named>(), "module_name: fc"));
}

}  // namespace
