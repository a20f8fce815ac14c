// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ctq/ops/broadcast.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ctq;

namespace {

constexpr shape broadcast(const shape& a, const shape& b) {
  diagnostic d;
  const shape out = shape_rules::broadcast(a, b, d);
  return d.any() ? shape{} : out;
}

constexpr broadcast_shape sizes(const shape& a, const shape& b, layout order = layout::nhwc) {
  return broadcast_sizes(a, b, broadcast(a, b), order);
}

// As torch.broadcast_shapes.
static_assert(broadcast({2, 3}, {2, 3}) == shape{2, 3});
static_assert(broadcast({2, 3}, {3}) == shape{2, 3} && broadcast({3}, {2, 3}) == shape{2, 3});
static_assert(broadcast({2, 1, 4}, {3, 1}) == shape{2, 3, 4});
static_assert(broadcast({5, 3, 8, 9}, {5, 3, 1, 1}) == shape{5, 3, 8, 9});
static_assert(broadcast({1}, {5, 3, 8, 9}) == shape{5, 3, 8, 9});
static_assert(broadcast({2, 3}, {2}) == shape{});
static_assert(broadcast({2, 1}, {}) == shape{2, 1});

// Equal shapes are one loop, whatever the order.
constexpr broadcast_shape equal{{1, 1, 1, 120}, {{0, 0, 0, 1}, {0, 0, 0, 1}}};
static_assert(sizes({2, 3, 4, 5}, {2, 3, 4, 5}) == equal);
static_assert(sizes({2, 3, 4, 5}, {2, 3, 4, 5}, layout::nchw) == equal);

// A factor for each channel: rows of channels, the same for all pixels of an image.
static_assert(sizes({2, 3, 4, 5}, {2, 3, 1, 1}) ==
              broadcast_shape{{1, 2, 20, 3}, {{0, 60, 3, 1}, {0, 3, 0, 1}}});
static_assert(sizes({2, 3, 1, 1}, {2, 3, 4, 5}) ==
              broadcast_shape{{1, 2, 20, 3}, {{0, 3, 0, 1}, {0, 60, 3, 1}}});
static_assert(sizes({2, 3, 4, 5}, {3, 1, 1}) ==
              broadcast_shape{{1, 1, 40, 3}, {{0, 0, 3, 1}, {0, 0, 0, 1}}});
// In the order of the axes each channel has one.
static_assert(sizes({2, 3, 4, 5}, {2, 3, 1, 1}, layout::nchw) ==
              broadcast_shape{{1, 1, 6, 20}, {{0, 0, 20, 1}, {0, 0, 1, 0}}});

// A single number, and two of them.
static_assert(sizes({2, 3, 4, 5}, {1}) ==
              broadcast_shape{{1, 1, 1, 120}, {{0, 0, 0, 1}, {0, 0, 0, 0}}});
static_assert(sizes({1}, {1, 1}) == broadcast_shape{{1, 1, 1, 1}, {{0, 0, 0, 1}, {0, 0, 0, 1}}});

// Both are broadcast.
static_assert(sizes({2, 1}, {3}) == broadcast_shape{{1, 1, 2, 3}, {{0, 0, 1, 0}, {0, 0, 0, 1}}});
static_assert(sizes({2, 1, 4, 1}, {3, 1, 5}, layout::nchw) ==
              broadcast_shape{{2, 3, 4, 5}, {{4, 0, 1, 0}, {0, 5, 0, 1}}});

static_assert(!order_matters({2, 3}) && !order_matters({2, 1, 4, 5}) &&
              !order_matters({2, 3, 1, 1}) && order_matters({2, 3, 4, 5}));
static_assert(order_matters({2, 3, 4}) && !order_matters({2, 3, 1}) && !order_matters({2, 1, 4}));
static_assert(with_axes({3, 5}, 4) == shape{1, 1, 3, 5} && with_axes({3, 5}, 2) == shape{3, 5});
// Channels last, of three axes.
static_assert(sizes({2, 3, 5}, {2, 3, 1}) ==
              broadcast_shape{{1, 2, 5, 3}, {{0, 15, 3, 1}, {0, 3, 0, 1}}});
static_assert(with_axes({3, 1, 5}, 4) == shape{1, 3, 1, 5});

}  // namespace

TEST_CASE("shapes that do not broadcast are shown") {
  diagnostic d;
  CHECK(shape_rules::broadcast({1, 3, 8, 8}, {1, 3, 4, 4}, d) == shape{});
  CHECK(std::string(d.message()) ==
        "reads shapes that do not broadcast\n"
        "the input is [1, 3, 8, 8]\nthe input is [1, 3, 4, 4]");
}
