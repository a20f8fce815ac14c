// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/passes/check_observers.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ctq;

static_assert(gives_qparams(observer_class::histogram));
static_assert(gives_qparams(observer_class::fixed_qparams));
static_assert(!gives_qparams(observer_class::recording));
static_assert(!gives_qparams(observer_class::placeholder));

namespace {

template <class Weight>
std::string refusal_of(op_id op) {
  dynamic_graph<stage::fused> g;
  g.add({.name = "up", .op = op}, nullptr, 0);
  constexpr mapping_entry entry = global<qconfig<min_max_observer<>, Weight>>::value;
  return std::string(
      check_conv_transpose_weights(g.view(), {&entry, 1}, list<int>(1, 0)).message());
}

}  // namespace

TEST_CASE("a transposed convolution cannot have a per-channel weight observer") {
  using per_channel = per_channel_min_max_observer<>;
  CHECK(refusal_of<per_channel>(nn::conv_transpose2d.id()) ==
        "a transposed convolution cannot have\na per-channel weight observer\nnode: up\n"
        "torch.nn.ConvTranspose2d");
  CHECK(refusal_of<min_max_observer<>>(nn::conv_transpose2d.id()).empty());
  CHECK(refusal_of<per_channel>(nn::conv2d.id()).empty());
  CHECK(refusal_of<fake_quantize<moving_average_per_channel_min_max_observer<>>>(
            nn::conv_transpose2d.id())
            .empty());
}
