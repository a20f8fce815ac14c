// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/json/element.hpp"

#include <doctest/doctest.h>

#include <string>

#include "ctq/json/constant_document.hpp"
#include "ctq/json/document.hpp"

using namespace ctq::json;

namespace {

struct file {
  std::string_view text;
};

inline constexpr file spec{R"({"name": "npu", "configs": [
  {"pattern": "nn.Linear", "scale": 0.5, "dynamic": false},
  {"pattern": ["nn.Conv2d", "nn.ReLU"], "n\u0061me": "caf\u00e9", "none": null}, 7], "name": -1})"};
inline constexpr element root = tape_v<spec>.root(spec.text.data());

static_assert(!tape_v<spec>.error.any());
static_assert(root && root.type() == kind::object && root.size() == 3 && root.at() == 0);
static_assert(root.text() == spec.text);
static_assert(!element{} && !root.find("nam") && !root.find("") && !root.find("name "));

inline constexpr element configs = root.find("configs");
static_assert(configs.type() == kind::array && configs.size() == 3);
static_assert(configs.text().front() == '[' && configs.text().back() == ']');

inline constexpr element linear = configs.first();
static_assert(linear.find("pattern").is("nn.Linear"));
static_assert(linear.find("pattern").text() == "nn.Linear");
static_assert(spec.text.substr(linear.find("pattern").at(), 3) == "\"nn");
static_assert(linear.find("scale").number() == 0.5 && linear.find("scale").text() == "0.5");
static_assert(linear.find("dynamic").type() == kind::boolean);
static_assert(!linear.find("dynamic").boolean());

inline constexpr element conv = linear.next();
static_assert(conv.find("name").is("caf\xC3\xA9"));  // a key and a text with escapes
static_assert(!conv.find("name").is("cafe") && conv.find("name").text() == R"(caf\u00e9)");
static_assert(conv.find("none").type() == kind::null);
static_assert(conv.next().number() == 7 && !conv.next().find("pattern"));  // not an object
static_assert(conv.next().elements().begin() == conv.next().elements().end());
static_assert(!configs.find("pattern"));

static_assert(root.find("name").number() == -1);  // as Python: the last one counts

static_assert([] {
  int elements = 0;
  for (const element e : configs.elements()) elements += e == linear || e == conv ? 10 : 1;
  for (const element e : conv.find("pattern").elements()) elements += e.is("nn.ReLU") ? 100 : 0;
  return elements;
}() == 121);

static_assert(name_of(kind::boolean) == "boolean" && name_of(kind::object) == "object");

TEST_CASE("members come as they stand, each with its key") {
  std::string seen;
  for (const auto [key, value] : linear.members())
    seen += std::string(key.text()) + "=" + std::string(value.text()) + ";";
  CHECK(seen == "pattern=nn.Linear;scale=0.5;dynamic=false;");
}

TEST_CASE("empty arrays and objects have nothing to visit") {
  constexpr std::string_view text = R"([[], {}, [[]], {"": {}}])";
  const document d = parse(text.data(), text.size());
  REQUIRE_FALSE(d.error.any());
  int visited = 0;
  std::string sizes;
  for (const element e : d.root(text.data()).elements()) {
    sizes += std::to_string(e.size());
    if (e.type() == kind::array)
      for ([[maybe_unused]] const element inner : e.elements()) ++visited;
    else
      for (const auto [key, value] : e.members()) visited += key.text().empty() ? 10 : 0;
  }
  CHECK(sizes == "0011");
  CHECK(visited == 11);
}

}  // namespace
