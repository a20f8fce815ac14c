// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/explain/rejected_dtype_configs.hpp"

#include <doctest/doctest.h>

#include "explain_model.hpp"

using namespace explain_model;

namespace {

constexpr mapping_view entries = mapping_v<mapping>;
constexpr backend_view backend = backend_v<qnnpack>;

/// How many dtype configs are rejected for a node, as the compiler finds it.
constexpr std::size_t count(std::string_view name) {
  const graph_view<stage::fused> g = fused_v<net, qnnpack>.view();
  return rejected_dtype_configs(g, backend, entries, {})[find(g, name)].size();
}

static_assert(count("fc") == 4);

}  // namespace

TEST_CASE("rejections are those of the pattern's own dtype configs, in their order") {
  const graph_view<stage::fused> g = fused_v<net, qnnpack>.view();
  const list<list<rejection>> found = rejected_dtype_configs(g, backend, entries, {});
  const list<rejection>& fc = found[find(g, "fc")];
  for (int k = 0; k < 4; ++k) CHECK(fc[k].dtype_config == k);
  CHECK(found[find(g, "x")].empty());
  CHECK(found[find(g, "head")].empty());
}

TEST_CASE("an unsupported qconfig is explained, not an error") {
  const graph_view<stage::fused> g = fused_v<net, qnnpack>.view();
  CHECK(rejected_dtype_configs(g, backend, entries, {.policy = unsupported::error})[find(g, "fc")]
            .size() == 4);
}
