// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/text.hpp"

#include <doctest/doctest.h>

#include "explain_model.hpp"

using namespace explain_model;

namespace {

std::string text() {
  return printed([](std::string& out, const explained_model& m) { append_text(out, m); });
}

}  // namespace

TEST_CASE("the text says what each node runs as, and from which dtype config") {
  const std::string t = text();
  CHECK(has_line(t,
                 "conv                   ConvReLU2d               quint8   "
                 "torch.ao.nn.intrinsic.ConvReLU2d dtype_config #1, qconfig #0, qparams #1"));
  CHECK(has_line(t, "relu                   in conv                  quint8   part of conv"));
  CHECK(has_line(t, "unread                 -                        -        nothing reads it"));
}

TEST_CASE("the text has the clause that failed for every rejected dtype config") {
  const std::string t = text();
  CHECK(t.find("\n  not dtype_config #0: input.eps: 1.19209e-07, the backend allows scale_min: "
               "0.000244141\n  not dtype_config #1: input.dtype: qint8, the backend allows: "
               "quint8\n  not dtype_config #2: is_dynamic: 0, the backend allows: 1\n") !=
        std::string::npos);
}

TEST_CASE("the text names the values that share an observer, and where qconfigs come from") {
  const std::string t = text();
  CHECK(has_line(t, "qparams #1: MinMaxObserver() of conv, pool, unread, flat"));
  CHECK(has_line(t, "qconfig #2 (module_name head): float"));
}
