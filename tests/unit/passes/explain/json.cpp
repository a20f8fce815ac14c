// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/json.hpp"

#include <doctest/doctest.h>

#include "ctq/json/document.hpp"
#include "explain_model.hpp"

using namespace explain_model;

namespace {

json::element member(json::element list, int wanted) {
  int i = 0;
  for (const json::element e : list.elements())
    if (i++ == wanted) return e;
  return {};
}

}  // namespace

TEST_CASE("the JSON is JSON, with a member for all that is known of a node") {
  const std::string t =
      printed([](std::string& out, const explained_model& m) { append_json(out, m); });
  const json::document d = json::parse(t.data(), t.size());
  REQUIRE(!d.error.any());
  const json::element root = d.root(t.data());
  CHECK(root.find("backend").text() == "qnnpack");
  REQUIRE(root.find("nodes").size() == 7);

  const json::element conv = member(root.find("nodes"), 0);
  CHECK(conv.find("name").text() == "conv");
  CHECK(conv.find("kernel").text() == "torch.ao.nn.intrinsic.quantized.ConvReLU2d");
  CHECK(conv.find("dtypes").text() == "quint8/quint8/qint8/float32");
  CHECK(conv.find("rejected").size() == 1);
  CHECK(conv.find("input_observers").size() == 1);

  const json::element fc = member(root.find("nodes"), 5);
  CHECK(!fc.find("dtype_config"));
  CHECK(fc.find("rejected").size() == 4);
  CHECK(member(fc.find("rejected"), 1).find("reason").text() ==
        "input.dtype: qint8, the backend allows: quint8");

  CHECK(member(root.find("observers"), 1).find("values").size() == 4);
  CHECK(member(root.find("qconfigs"), 2).find("from").text() == "module_name head");
}

TEST_CASE("names with quotes and control characters stay texts") {
  std::string out;
  explaining::quoted(out, "a\"b\\c\n");
  CHECK(out == "\"a\\\"b\\\\c\\u000a\"");
}
