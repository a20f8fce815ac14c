// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/mapping_from_json.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/json/write_mapping.hpp"

using namespace ctq;

namespace {

constexpr embedded_file good{"good.json", R"({
  "": {"activation": {"class": "HistogramObserver", "reduce_range": true}, "weight": {"class": "MinMaxObserver", "dtype": "torch.qint8"}},
  "module_name_regex": [
    ["layer\\d\\..*", null]
  ],
  "module_name": [
    ["fc", null]
  ]
}
)"};
struct mapping : mapping_from_json<good> {};
[[maybe_unused]] constexpr checked_mapping<mapping> checked;

static_assert(mapping_v<mapping>.count == 3);
static_assert(mapping_v<mapping>.entries[0].qconfig.activation ==
              histogram_observer<{.reduce_range = true}>::value);
static_assert(mapping_v<mapping>.entries[1].module == R"(layer\d\..*)");
static_assert(!mapping_v<mapping>.entries[2].quantizes);

template <const embedded_file& File>
struct of : mapping_from_json<File> {};
template <const embedded_file& File>
constexpr std::string_view problem = mapping_check<of<File>>::found.message();

constexpr embedded_file cut{"cut.json", "{"};
static_assert(problem<cut> == "cut.json:1:2: error: expected a key in quotes [json-syntax]");

constexpr embedded_file bad_regex{"r.json", R"({"module_name_regex": [["(", null]]})"};
static_assert(problem<bad_regex> ==
              "r.json:1:25: error: module_name_regex: ( is not a supported regular expression "
              "[regex-syntax]");

constexpr embedded_file bad_range{"q.json", R"({"": {
  "activation": {"class": "MinMaxObserver", "quant_min": 0, "quant_max": 300},
  "weight": {"class": "MinMaxObserver"}}})"};
static_assert(problem<bad_range> ==
              "q.json:2:74: error: activation.quant_max: 300 is outside quint8, which holds 0 to "
              "255 [observer-quant-range]");

TEST_CASE("a mapping prints as the file it was read from") {
  std::string text;
  json::append_json(text, mapping_v<mapping>);
  CHECK(text == good.text);
}

}  // namespace
