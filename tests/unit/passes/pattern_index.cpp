// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/pattern_index.hpp"

#include <doctest/doctest.h>

#include "ctq/backends/x86.hpp"

using namespace ctq;

namespace {

template <auto... Op>
using entry = backend_pattern_config<pattern<Op...>>;

struct three : backend_config<"three", entry<nn::relu>, entry<nn::conv2d, nn::relu>,
                              entry<nested<op::add, nn::batch_norm2d, match_all>, nn::relu>,
                              entry<match_all>> {};

constexpr const auto& all = patterns_v<three>;

constexpr int first_of(op_id op) { return all.head[op->hash % all.buckets]; }

// The longest pattern comes first; one that is match_all alone does not come at all.
static_assert(all.config[first_of(nn::relu.id())] == 2);
static_assert(all.config[all.next[0]] == 1 && all.config[all.next[1]] == 0 && all.next[2] == -1);

// Elements in pre-order: relu, add, batch_norm2d, match_all.
static_assert(all.op[0] == nn::relu.id() && all.op[1] == op::add.id() && all.op[3] == nullptr);
static_assert(all.args[0] == 1 && all.args[1] == 2 && all.args[2] == 0);
static_assert(all.extent[0] == 4 && all.extent[1] == 3 && all.extent[2] == 1);
static_assert(all.root[0] == 2 && all.root[1] == 1 && all.root[2] == 0);

TEST_CASE("a backend put together at run time has the same index") {
  dynamic_pattern_index found;
  index_patterns(backend_v<x86>, indexing::any, found);
  const auto& compiled = patterns_v<x86>;
  for (unsigned b = 0; b < found.buckets; ++b) CHECK(found.head[b] == compiled.head[b]);
  for (std::size_t p = 0; p < found.next.size(); ++p) {
    CHECK(found.next[p] == compiled.next[p]);
    CHECK(found.config[p] == compiled.config[p]);
    CHECK(found.root[p] == compiled.root[p]);
  }
  for (std::size_t e = 0; e < found.op.size(); ++e) CHECK(found.op[e] == compiled.op[e]);
}

}  // namespace
