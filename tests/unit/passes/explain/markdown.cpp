// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/markdown.hpp"

#include <doctest/doctest.h>

#include "explain_model.hpp"

using namespace explain_model;

TEST_CASE("Markdown has a table of nodes, one of observers and one of qconfigs") {
  const std::string t =
      printed([](std::string& out, const explained_model& m) { append_markdown(out, m); });
  CHECK(has_line(t, "| node | runs as | dtype | reason |"));
  CHECK(has_line(t, "| relu | in conv | quint8 | part of conv |"));
  CHECK(t.find("<br>not dtype_config #1: input.dtype: qint8, the backend allows: quint8<br>") !=
        std::string::npos);
  CHECK(has_line(t, "| #1 | MinMaxObserver() | conv, pool, unread, flat |"));
  CHECK(has_line(t, "| #2 | module_name head | float |"));
}

TEST_CASE("a bar in a cell does not end it") {
  std::string out;
  explaining::cell_text<std::string> cell{out};
  cell.append("a|b\nc");
  CHECK(out == "a\\|b c");
}
