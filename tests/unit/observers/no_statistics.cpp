// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/observers/no_statistics.hpp"

#include <doctest/doctest.h>

using namespace ctq;
using observers::placeholder;

namespace {

TEST_CASE("a placeholder converts to its dtype") {
  const placeholder p({.dtype = f16});
  CHECK(p.dtype() == f16);
  CHECK(!p.is_dynamic());
  CHECK(p.compute_dtype() == dtype::none);
}

TEST_CASE("a dynamic placeholder keeps values in float and computes in its dtype") {
  const placeholder p(placeholder_observer<{.dtype = quint8, .is_dynamic = true}>::value.args);
  CHECK(p.dtype() == f32);
  CHECK(p.is_dynamic());
  CHECK(p.compute_dtype() == quint8);
}

TEST_CASE("without a dtype, values are not converted") {
  CHECK(placeholder(placeholder_observer<>::value.args).dtype() == f32);
  CHECK(observers::noop{}.dtype == f16);
}

}  // namespace
